import { parentPort, workerData } from 'node:worker_threads';
import { ApiError, modelChanged, serverError } from '../src/contract/errors.ts';
import { type Log, toLogFields } from '../src/contract/log.ts';
import type { TextEngine } from '../src/engine/engine.ts';
import { failedLoadResult } from '../src/engine/node/load-failure.ts';
import { nodePort } from '../src/engine/node/port.ts';
import { stampOf } from '../src/engine/node/stamp.ts';
import type { LoadResult, WorkerConfig, WorkerLogLine, WorkerTask } from '../src/engine/node/task.ts';
import { WasmCrashed } from '../src/engine/wasm/crash.ts';
import { loadWasmEngine } from '../src/engine/wasm/node/load.ts';
import { showSourceLines } from '../src/source-lines.ts';
import { serveGathered } from '../src/wire/inference-calls.ts';

showSourceLines();

/**
 * Runs a task of piscina in a worker thread. The thread has one WebAssembly engine, by its configuration. It loads the
 * engine when the first task needs it, and serves the calls that the pool sends. A failed load is an answer; a failed
 * call is answered over its port.
 */
export default async function handle(task: WorkerTask): Promise<LoadResult | undefined> {
  switch (task.kind) {
    case 'load':
      return load();
    case 'serve':
      await serveGathered(nodePort(task.port), engine, (error, { requestId }) =>
        log.error('request failed', { requestId, ...toLogFields(error) }),
      );
      return undefined;
    default:
      return task satisfies never;
  }
}

const config = workerData as WorkerConfig;
const sendLog =
  (level: WorkerLogLine['level']) =>
  (message: string, fields: Record<string, unknown> = {}): void =>
    parentPort?.postMessage({ level, message, fields } satisfies WorkerLogLine);
const log: Log = { debug: sendLog('debug'), info: sendLog('info'), warn: sendLog('warn'), error: sendLog('error') };

let loaded: Promise<TextEngine> | undefined;

/** Always uses the engine that is loaded now: after a crash, another one replaces it. */
const engine: Pick<TextEngine, 'generate' | 'ask'> = {
  generate: async (request, emit, signal) => (await loadedEngine()).generate(request, emit, signal).catch(noteCrash),
  ask: async (kind, question, signal) => (await loadedEngine()).ask(kind, question, signal).catch(noteCrash),
};

function loadedEngine(): Promise<TextEngine> {
  loaded ??= loadUnchanged().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/**
 * Throws a 503 `ApiError` if the model's files have changed since the model was loaded first, else the reason why
 * loading failed.
 */
async function loadUnchanged(): Promise<TextEngine> {
  const hasChanged = () => stampOf(config.engine) !== config.stamp;
  try {
    const engine = await loadWasmEngine(config.engine, log);
    if (!hasChanged()) return engine;
    await engine[Symbol.asyncDispose]();
  } catch (error) {
    if (!hasChanged()) throw error;
  }
  throw modelChanged();
}

/**
 * Drops a crashed engine, so that the next request loads another one. Throws a 500 `ApiError` after a crash, else the
 * given error.
 */
function noteCrash(error: unknown): never {
  if (!(error instanceof WasmCrashed)) throw error;
  loaded = undefined;
  log.error('the engine crashed', toLogFields(error));
  throw new ApiError({ ...serverError().data, code: 'engine_died' });
}

async function load(): Promise<LoadResult> {
  try {
    const { info, traits } = await loadedEngine();
    return { ok: true, info, traits };
  } catch (error) {
    return failedLoadResult(error, config, log);
  }
}
