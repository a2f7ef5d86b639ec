import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPool } from '../src/pool/pool.ts';
import { ask, call } from '../test/kit/generation.ts';
import { tinyModelShape } from '../test/kit/models/model-shape.ts';
import { writeTinyModel } from '../test/kit/models/tiny-model.ts';

/**
 * Loads a model into WebAssembly and unloads it `--count` times, in the pool of the server, and writes some tokens each
 * time. Prints the memory of this process, in which a server would run the same code. Linux only.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    every: { type: 'string', default: '10' },
    threads: { type: 'string', default: '1' },
    slots: { type: 'string', default: '1' },
  },
});

const CONTEXT_LENGTH = 1024;
const ignore = () => {};

await measure(Number(values.count), Number(values.every));

async function measure(count: number, every: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
  try {
    const file = join(folder, 'tiny.gguf');
    writeTinyModel(file);
    await using pool = poolOf(file);
    print(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}\n`);
    print('| loads | resident, MB | of it own, MB | JavaScript heap, MB | buffers, MB | threads | seconds |');
    print('|---|---|---|---|---|---|---|');
    const start = performance.now();
    for (let loads = 1; loads <= count; loads++) {
      // Only one model may be in memory, so each of these ids evicts the other one.
      const request = ask('hello', { maxTokens: 4 });
      for await (const _ of pool.generate(`model-${loads % 2}`, request, call()));
      if (loads % every === 0 || loads === 1) print(row(loads, (performance.now() - start) / 1000));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function poolOf(file: string) {
  return createPool({
    backend: 'wasm',
    engine: {
      contextLength: CONTEXT_LENGTH,
      slots: Number(values.slots),
      threads: Number(values.threads),
      batchSize: 8,
    },
    maxWaiting: 1,
    maxLoadedModels: 1,
    idleTimeoutMs: null,
    sourceOf: () => ({ kind: 'chat', files: [file], shape: { ...tinyModelShape, fileBytes: statSync(file).size } }),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
}

function row(loads: number, seconds: number): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  const megabytes = (name: string) =>
    Math.round((Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6);
  const { heapUsed, external } = process.memoryUsage();
  const cells = [
    loads,
    megabytes('VmRSS'),
    megabytes('RssAnon'),
    Math.round(heapUsed / 1e6),
    Math.round(external / 1e6),
    readdirSync('/proc/self/task').length,
    seconds.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
