import type { MessagePort } from 'node:worker_threads';
import type { BackendName, EngineInfo } from '../../core/runner.ts';
import type { EngineOptions } from '../engine.ts';

/** What a worker thread is for; its `workerData`. */
export interface WorkerConfig {
  backend: BackendName;
  engine: EngineOptions;
  /** Bytes that the model needs at least, and that the machine has for it besides the memory of a GPU. */
  memory: { needed: number; available: number };
}

/** What a worker can be asked. */
export type WorkerTask =
  | { kind: 'load' }
  /** Serves the one call that comes over the port, in the words of core/wire.ts, and ends with it. */
  | { kind: 'serve'; port: MessagePort }
  | { kind: 'unload' };

/** The answer to `load`. A failure's reason is for the log and the operator, not for clients. */
export type LoadResult = { ok: true; info: EngineInfo } | { ok: false; reason: string; lacksMemory: boolean };

/** A log line on its way from a worker to the main thread. */
export interface WorkerLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}
