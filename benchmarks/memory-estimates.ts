import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool } from '../src/pool/pool.ts';
import { sum } from '../src/utils/sum.ts';
import { ask, call } from '../test/kit/generation.ts';
import { halfBillionShape } from '../test/kit/models/benchmark-weights.ts';
import { writeModel } from '../test/kit/models/tiny-model.ts';
import { statsOfTree } from './compare/process-tree.ts';

/**
 * Compares Paddock's estimate of a model's memory with the growth of a process and its children that load the model and
 * read a prompt. Linux only. Mapped weights count, unless the CPU build has copied them into another layout: the system
 * may evict the mapped pages then.
 */
interface Case {
  backend: 'cpu' | 'wasm';
  vocabularySize: number;
  contextLength: number;
  slots: number;
  batchSize: number;
}

const CASES: Case[] = [
  { backend: 'cpu', vocabularySize: 151_936, contextLength: 512, slots: 1, batchSize: 64 },
  { backend: 'cpu', vocabularySize: 151_936, contextLength: 8192, slots: 4, batchSize: 512 },
  { backend: 'cpu', vocabularySize: 151_936, contextLength: 2048, slots: 8, batchSize: 512 },
  { backend: 'cpu', vocabularySize: 20_000, contextLength: 2048, slots: 4, batchSize: 512 },
  { backend: 'wasm', vocabularySize: 151_936, contextLength: 512, slots: 1, batchSize: 8 },
  { backend: 'wasm', vocabularySize: 151_936, contextLength: 4096, slots: 1, batchSize: 8 },
  { backend: 'wasm', vocabularySize: 20_000, contextLength: 2048, slots: 1, batchSize: 8 },
];
const MIB = 2 ** 20;
/** The private memory of a process comes this close to the estimate only if it contains the weights. */
const COPIED_SHARE = 0.75;

interface Measured {
  estimate: number;
  /** The growth of private memory and of mapped files, in bytes. */
  own: number;
  mapped: number;
}

/** Returns the memory of this process and its children. */
function processMemory(): { own: number; mapped: number } {
  const statuses = [...statsOfTree(process.pid).keys()].map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const bytes = (name: string) =>
    sum(statuses.map((status) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024));
  return { own: bytes('RssAnon'), mapped: bytes('RssFile') };
}

async function measure({ backend, vocabularySize, ...engine }: Case, file: string): Promise<Measured> {
  const { width, hidden, layers, heads, keyHeads } = halfBillionShape;
  const shape = {
    fileBytes: statSync(file).size,
    layers,
    cachedPerToken: layers * 2 * keyHeads * (width / heads),
    embeddingLength: width,
    feedForwardLength: hidden,
    vocabularySize,
    trainedContextLength: 32_768,
    poolsLast: false,
  };
  const ignore = () => {};
  await using pool = createPool({
    backend,
    engine: { ...engine, threads: 1 },
    maxWaiting: 1,
    maxLoadedModels: null,
    idleTimeoutMs: null,
    sourceOf: () => ({ kind: 'chat', files: [file], shape }),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  globalThis.gc?.();
  const before = processMemory();
  // A letter is about one token. WebAssembly reads only a few tokens per second. Growing caches have grown by half of
  // the window.
  const letters = backend === 'wasm' ? 8 : engine.contextLength / 2 + 64;
  const request = ask('a'.repeat(letters), { maxTokens: 4 });
  for await (const _ of pool.generate('model', request, call()));
  const after = processMemory();
  return {
    estimate: pool.loaded()[0]?.memory ?? 0,
    own: after.own - before.own,
    mapped: after.mapped - before.mapped,
  };
}

/** Measures a case in a new process, which runs this file with the case and the model as arguments. */
function measureApart(each: Case, file: string): Measured {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), JSON.stringify(each), file];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Measured;
}

function row(each: Case, { estimate, own, mapped }: Measured): string {
  const copied = own > COPIED_SHARE * estimate;
  const taken = copied ? own : own + mapped;
  const { backend, vocabularySize, contextLength, slots, batchSize } = each;
  const figures = [estimate, taken, mapped].map((bytes) => Math.round(bytes / MIB));
  const error = `${(100 * (estimate / taken - 1)).toFixed(1)} %`;
  return `| ${[backend, vocabularySize, contextLength, slots, batchSize, ...figures, error].join(' | ')} |\n`;
}

function writeTable(): void {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-memory-'));
  try {
    process.stdout.write(
      `Node ${process.versions.node}, ${cpus()[0]?.model.trim()}; MiB\n\n` +
        '| backend | vocabulary | context | slots | batch | estimated | measured | mapped | error |\n' +
        '|---|---|---|---|---|---|---|---|---|\n',
    );
    for (const each of CASES) {
      const file = join(folder, `${each.vocabularySize}.gguf`);
      if (!existsSync(file)) writeModel(file, 'half-billion', { vocabularySize: each.vocabularySize });
      process.stdout.write(row(each, measureApart(each, file)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [given, file] = process.argv.slice(2);
if (given && file) process.stdout.write(JSON.stringify(await measure(JSON.parse(given) as Case, file)));
else writeTable();
