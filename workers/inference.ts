import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../src/core/log.ts';
import { type EngineService, serveEngine } from '../src/core/wire.ts';
import { createService } from '../src/engine/chat-service.ts';
import type { Engine } from '../src/engine/engine.ts';
import { InsufficientMemory } from '../src/engine/memory-estimate.ts';
import { nodePort } from '../src/engine/node/port.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../src/engine/node/task.ts';
import { WasmCrashed } from '../src/engine/wasm/crash.ts';

/**
 * The worker thread's door: holds the one engine that its configuration names, loaded at the first need, and serves
 * the generations that the pool sends it.
 */
export default async function handle(task: WorkerTask): Promise<LoadResult | undefined> {
  switch (task.kind) {
    case 'load':
      return load();
    case 'serve':
      await serveEngine(nodePort(task.port), service, (error) =>
        log.error('request failed', { error: describe(error) }),
      );
      return undefined;
    case 'unload':
      await unload();
      return undefined;
    default:
      return task satisfies never;
  }
}

const config = workerData as WorkerConfig;
const log: Log = {
  debug: (message, fields) => sendLog('debug', message, fields),
  info: (message, fields) => sendLog('info', message, fields),
  warn: (message, fields) => sendLog('warn', message, fields),
  error: (message, fields) => sendLog('error', message, fields),
};

interface Loaded {
  engine: Engine;
  service: EngineService;
}

let loaded: Promise<Loaded> | undefined;

/** The loaded engine's service, whichever engine that is at the time. */
const service: EngineService = {
  generate: async (request, emit, signal) =>
    (await loadedEngine()).service.generate(request, emit, signal).catch(forgetIfCrashed),
  ask: async (kind, question, signal) =>
    (await loadedEngine()).service.ask(kind, question, signal).catch(forgetIfCrashed),
};

function loadedEngine(): Promise<Loaded> {
  loaded ??= loadEngine().then(
    (engine) => ({ engine, service: createService(engine, config.engine.chatTemplate) }),
    (error: unknown) => {
      loaded = undefined;
      throw error;
    },
  );
  return loaded;
}

// Imported on demand: a thread that runs WebAssembly must not touch the native addon, nor the other way round.
async function loadEngine(): Promise<Engine> {
  if (config.backend === 'wasm') {
    const { loadWasmEngine } = await import('../src/engine/wasm/node/load.ts');
    return loadWasmEngine(config.engine, log);
  }
  const { loadNativeEngine } = await import('../src/engine/native/engine.ts');
  return loadNativeEngine(config.engine, config.backend, log, config.memory);
}

/** A crashed engine answers nothing any more; the next request loads another. */
function forgetIfCrashed(error: unknown): never {
  if (error instanceof WasmCrashed) loaded = undefined;
  throw error;
}

async function load(): Promise<LoadResult> {
  try {
    return { ok: true, info: (await loadedEngine()).engine.info };
  } catch (error) {
    return { ok: false, reason: describe(error), lacksMemory: error instanceof InsufficientMemory };
  }
}

async function unload(): Promise<void> {
  const last = await loaded?.catch(() => undefined);
  loaded = undefined;
  await last?.engine[Symbol.asyncDispose]();
}

function sendLog(level: WorkerLogLine['level'], message: string, fields: Record<string, unknown> = {}): void {
  parentPort?.postMessage({ level, message, fields } satisfies WorkerLogLine);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
