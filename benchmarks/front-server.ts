import { createApi } from '../src/api/api.ts';
import { plainKeys } from '../src/api/keys/plain.ts';
import { createResponseStore } from '../src/api/responses/store.ts';
import type { EngineInfo } from '../src/contract/engine-info.ts';
import type { GenerationEvent } from '../src/contract/events.ts';
import type { ModelCard } from '../src/contract/models/model.ts';
import type { Runner } from '../src/contract/runner.ts';
import { startHttpServer } from '../src/server/server.ts';
import { createEventQueue, type EventQueue } from '../src/wire/event-queue.ts';

/**
 * The HTTP front with a scripted engine: in each step every stream gets a token, as from the step loop, without any
 * computation. benchmarks/front.ts starts this file as a process, and the process reports its port.
 */
const STEPS_PER_SECOND = 50;
const TOKENS = Number(process.env.PADDOCK_BENCH_TOKENS ?? 250);
const MIB = 2 ** 20;

/** Returns a text of the usual length of a token that contains the time when it was drawn, in ms of the wall clock. */
function token(now: number): string {
  return ` ${now.toFixed(0).slice(-6)}`;
}

const engine: EngineInfo = {
  backend: 'cpu',
  runtime: 'node-llama-cpp',
  device: 'script',
  contextLength: 4096,
  trainedContextLength: 4096,
  slots: 1000,
  gpuLayers: 0,
  threads: 1,
};

const card: ModelCard = {
  id: 'script',
  created: 0,
  owned_by: 'local',
  name: 'script',
  version: '1',
  format: 'gguf',
  description: '',
  sources: [],
  settings: { embedding: false, prompt_template: '' },
  parameters: {},
  metadata: { author: '', tags: [], size: 500 * MIB, cover: '' },
  trainedContextLength: 4096,
  parameterCount: 500_000_000,
  audioModel: false,
  rankingModel: false,
};

interface Stream {
  queue: EventQueue<GenerationEvent>;
  left: number;
}

const streams = new Set<Stream>();

/** Draws a token for each stream. Late steps are caught up at once, so that the rate stays the same. */
function step(): void {
  const text = token(Date.now());
  for (const stream of streams) {
    stream.queue.push({ kind: 'text', choice: 0, text, tokens: 1 });
    stream.left -= 1;
    if (stream.left > 0) continue;
    streams.delete(stream);
    stream.queue.push({ kind: 'finish', choice: 0, reason: 'length' });
    stream.queue.push({
      ...{ kind: 'done', promptTokens: 10, cachedTokens: 0, completionTokens: TOKENS, promptMs: 1, predictedMs: 1 },
    });
    stream.queue.end();
  }
}

const startedAt = performance.now();
let steps = 0;
setInterval(() => {
  for (const due = ((performance.now() - startedAt) * STEPS_PER_SECOND) / 1000; steps < due; steps++) step();
}, 5);

const runner: Runner = {
  generate() {
    const stream: Stream = { queue: createEventQueue(() => streams.delete(stream)), left: TOKENS };
    stream.queue.push({ kind: 'progress', cache: 0, processed: 10, total: 10, timeMs: 1 });
    streams.add(stream);
    return stream.queue;
  },
  ask: () => Promise.reject(new Error('the script answers no questions')),
  loaded: () => [{ id: card.id, engine, fallbackReasons: [], memory: 500 * MIB, busy: 0, waiting: 0 }],
  moving: () => [],
};

const ignore = () => {};
const server = await startHttpServer({
  api: createApi({
    catalogue: { list: () => [card], find: (id) => (id === card.id ? card : undefined) },
    runner,
    responses: createResponseStore(),
    apiKeys: plainKeys([]),
    pages: { origins: [], local: 'inference' },
    contentFilter: [],
    pingIntervalMs: 10_000,
    systemFingerprint: 'paddock-bench',
    noteUnknownFields: ignore,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  }),
  host: '127.0.0.1',
  port: 0,
  allowedHosts: [],
  bodyLimits: { bytes: 33_554_432, inFlightBytes: 268_435_456, timeMs: 120_000 },
});
process.on('message', () => process.exit());
process.send?.(server.port);
