import { parentPort, workerData } from 'node:worker_threads';
import { serveInference } from '../src/core/inference.ts';
import { type Log, toLogFields } from '../src/core/log.ts';
import { type ChatService, createChatService } from '../src/engine/chat-service.ts';
import type { TextEngine } from '../src/engine/engine.ts';
import { InsufficientMemory } from '../src/engine/memory-estimate.ts';
import { nodePort } from '../src/engine/node/port.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../src/engine/node/task.ts';
import { WasmCrashed } from '../src/engine/wasm/crash.ts';

/**
 * Piscina calls this in a worker thread for each task. The thread has one engine, the one that its configuration names.
 * It loads the engine when it is first needed and serves the calls that the pool sends.
 */
export default async function handle(task: WorkerTask): Promise<LoadResult | undefined> {
  switch (task.kind) {
    case 'load':
      return load();
    case 'serve':
      await serveInference(nodePort(task.port), service, (error, { requestId }) =>
        log.error('request failed', { requestId, ...toLogFields(error) }),
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
  engine: TextEngine;
  service: ChatService;
}

let loaded: Promise<Loaded> | undefined;

/** Passes calls to the engine that is loaded at the time. That may be a new one after a crash. */
const service: ChatService = {
  generate: async (request, emit, signal) =>
    (await loadedEngine()).service.generate(request, emit, signal).catch(forgetIfCrashed),
  ask: async (kind, question, signal) =>
    (await loadedEngine()).service.ask(kind, question, signal).catch(forgetIfCrashed),
};

function loadedEngine(): Promise<Loaded> {
  loaded ??= loadEngine().then(
    (engine) => ({ engine, service: createChatService(engine, config.engine.chatTemplate) }),
    (error: unknown) => {
      loaded = undefined;
      throw error;
    },
  );
  return loaded;
}

// Imported on demand: a WebAssembly thread must not load the native addon, and a native thread must not load wllama.
async function loadEngine(): Promise<TextEngine> {
  if (config.backend === 'wasm') {
    const { loadWasmEngine } = await import('../src/engine/wasm/node/load.ts');
    return loadWasmEngine(config.engine, log);
  }
  const { loadNativeEngine } = await import('../src/engine/native/engine.ts');
  return loadNativeEngine(config.engine, config.backend, log, config.memory);
}

/** A crashed engine can't answer any more. Forgetting it lets the next request load another. */
function forgetIfCrashed(error: unknown): never {
  if (error instanceof WasmCrashed) loaded = undefined;
  throw error;
}

async function load(): Promise<LoadResult> {
  try {
    return { ok: true, info: (await loadedEngine()).engine.info };
  } catch (error) {
    log.debug('the engine could not be loaded', toLogFields(error));
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
