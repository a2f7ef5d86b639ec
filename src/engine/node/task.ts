import type { MessagePort } from 'node:worker_threads';
import type { BackendName, EngineInfo } from '../../core/runner.ts';
import type { EngineOptions } from '../engine.ts';

/** The configuration of a worker thread: its `workerData`. */
export interface WorkerConfig {
  backend: BackendName;
  engine: EngineOptions;
  /**
   * In bytes. `needed` is the least that the model needs. `available` is what the machine has for it, the memory of a
   * GPU excluded.
   */
  memory: { needed: number; available: number };
}

/** A task for a worker thread. */
export type WorkerTask =
  | { kind: 'load' }
  /** Serves the one call of the port, in the messages of core/wire.ts. The task ends with the call. */
  | { kind: 'serve'; port: MessagePort }
  | { kind: 'unload' };

/** The result of `load`. The reason of a failure is for the log and the operator, not for clients. */
export type LoadResult = { ok: true; info: EngineInfo } | { ok: false; reason: string; lacksMemory: boolean };

/** A log line on its way from a worker to the main thread. */
export interface WorkerLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}
