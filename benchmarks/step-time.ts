import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { EngineEvent } from '../src/contract/events.ts';
import { DEFAULT_BATCH, GPU_BATCH } from '../src/engine/batch-size.ts';
import { createFindGpu } from '../src/pool/load/find-gpu.ts';
import { greedy, textRequest } from '../test/kit/generation.ts';
import { silentLog } from '../test/kit/log.ts';
import { type ModelShape, writeModel } from '../test/kit/models/tiny-model.ts';
import { median, spread } from './statistics.ts';

/**
 * Measures the time of a step of the native engine by the number of streams, in ms, and the CPU time of 1,000 tokens,
 * in seconds. With a model of one small layer and a large vocabulary, nearly all of it is the host's work: drawing,
 * filling the batch, starting threads.
 *
 * `node dist/benchmarks/step-time.js [--model half-billion] [--against OTHER/dist] [--rounds 3] [--backend gpu]` measures two builds by
 * turns.
 */
const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'one-layer' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '2' },
    backend: { type: 'string', default: 'cpu' },
    streams: { type: 'string', default: '1,4,16,64' },
    sampled: { type: 'boolean', default: false },
    child: { type: 'string' },
  },
});

const STREAMS = values.streams.split(',').map(Number);
const TOKENS = 48;

interface Timing {
  streams: number;
  stepMs: number;
  cpuSeconds: number;
}

if (values.child === undefined) compare();
else await measure(values.child);

function compare(): void {
  const folder = join(tmpdir(), 'paddock-step-time');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${values.model}.gguf`);
  if (!existsSync(file)) writeModel(file, values.model as ModelShape);
  const own = fileURLToPath(new URL('..', import.meta.url));
  const builds = values.against === undefined ? [own] : [values.against, own];
  const timings = new Map<string, Timing[]>(builds.map((build) => [build, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const build of builds) {
      const args = [
        fileURLToPath(import.meta.url),
        '--child',
        build,
        '--model',
        file,
        '--threads',
        values.threads,
        '--backend',
        values.backend,
        '--streams',
        values.streams,
      ];
      const output = execFileSync(process.execPath, values.sampled ? [...args, '--sampled'] : args, {
        encoding: 'utf8',
      });
      timings.get(build)?.push(...(JSON.parse(output) as Timing[]));
    }
  }
  for (const streams of STREAMS) {
    for (const [build, all] of timings) {
      const mine = all.filter((timing) => timing.streams === streams);
      const cpu = median(mine.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2);
      const name = build === own ? 'this build' : 'the other ';
      const step = spread(
        mine.map(({ stepMs }) => stepMs),
        2,
      );
      process.stdout.write(`${name}  ${streams} streams  ${step} ms a step, ${cpu} s of CPU for 1,000 tokens\n`);
    }
  }
}

/** Loads the engine of a build and prints its timings as JSON. */
async function measure(build: string): Promise<void> {
  const { loadNativeEngine } = (await import(
    join(build, 'src/engine/native/engine.js')
  )) as typeof import('../src/engine/native/engine.ts');
  const slots = Math.max(...STREAMS);
  const device = values.backend === 'gpu' ? await gpuOptions() : { batchSize: DEFAULT_BATCH };
  const engine = await loadNativeEngine(
    { files: [values.model], kind: 'chat', contextLength: 512, slots, threads: Number(values.threads), ...device },
    values.backend === 'gpu' ? 'gpu' : 'cpu',
    silentLog,
  );
  const timings: Timing[] = [];
  // The first run finds out how long passes of each size take.
  for (const streams of [...STREAMS, ...STREAMS]) timings.push(await timeSteps(engine, streams));
  await engine[Symbol.asyncDispose]();
  process.stdout.write(JSON.stringify(timings.slice(STREAMS.length)));
}

/** Returns the options of an engine on the GPU that the server would take. Throws if there is none. */
async function gpuOptions() {
  const { gpu, passedOver } = await createFindGpu()();
  if (!gpu) throw new Error(`there is no GPU: ${passedOver.join(', ')}`);
  return { gpuRuntime: gpu.runtime, batchSize: GPU_BATCH };
}

async function timeSteps(
  engine: Awaited<ReturnType<typeof import('../src/engine/native/engine.ts').loadNativeEngine>>,
  streams: number,
): Promise<Timing> {
  const startedAt = process.cpuUsage();
  let firstAt = 0;
  let lastAt = 0;
  const run = async (stream: number) => {
    let begun = false;
    const prompt = Array.from({ length: 8 }, (_, place) => 300 + stream * 8 + place);
    const sampling = values.sampled ? { ...greedy, temperature: 0.8, topK: 40, topP: 0.95, seed: stream } : greedy;
    const request = textRequest('', { prompt, maxTokens: TOKENS, sampling });
    const note = (event: EngineEvent) => {
      if (event.kind !== 'text') return;
      lastAt = performance.now();
      if (!begun) firstAt = Math.max(firstAt, lastAt);
      begun = true;
    };
    await engine.generate(request, note, new AbortController().signal);
  };
  await Promise.all(Array.from({ length: streams }, (_, stream) => run(stream)));
  const { user, system } = process.cpuUsage(startedAt);
  return {
    streams,
    stepMs: (lastAt - firstAt) / (TOKENS - 1),
    cpuSeconds: (user + system) / 1000 / (streams * TOKENS),
  };
}
