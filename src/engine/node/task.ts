import type { MessagePort } from 'node:worker_threads';
import type { ModelTraits, Prepared } from '../../chat/prepare.ts';
import type { BackendName, EngineInfo } from '../../contract/engine-info.ts';
import type { ErrorData } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { EngineOptions } from '../engine.ts';
import type { FromCopyStore, ToCopyStore } from './copy-messages.ts';
import type { Frame } from './port-mux.ts';

/** The configuration of a worker thread: its `workerData`. */
export interface WorkerConfig {
  backend: BackendName;
  engine: EngineOptions;
  /** That of the model's files, by `stampOf`. With other files no engine is to work for this model. */
  stamp: string | null;
  /**
   * In bytes. `needed` is the least that the model needs. `available` is what the machine has for it, the memory of a
   * GPU excluded.
   */
  memory: { needed: number; available: number };
  /** What an engine is to know that has a store for copies of what its slots hold; null if it has none. */
  copies: CopyFigures | null;
}

/** The size of copies, as far as the model's header tells. */
export interface CopyFigures {
  /** The bytes of the keys and values of one token. */
  bytesPerToken: number;
}

/** A task for a worker thread. */
export type WorkerTask =
  | { kind: 'load' }
  /** Serves the one call that comes over the port, in the words of core/wire.ts, and ends with it. */
  | { kind: 'serve'; port: MessagePort };

/** The answer to `load`. A failure's reason is for the log and the operator, not for clients. */
export type LoadResult =
  | { ok: true; info: EngineInfo; traits: ModelTraits }
  /** `changed` means that its files are not those any more that the configuration tells of. */
  | { ok: false; reason: string; lacksMemory: boolean; changed: boolean };

/** A log line on its way from a worker to the main thread. */
export interface WorkerLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

/** What the server says to an engine's process. Plain data. */
export type ToEngineProcess =
  | { kind: 'load'; config: WorkerConfig }
  | { kind: 'frames'; frames: Frame[] }
  | { kind: 'copies'; message: FromCopyStore }
  /** Asks for copies of what slots hold and has none yet. Then the process is ended. */
  | { kind: 'leave' };

/** What an engine's process says. `alive` comes every second: one that is silent for long is stuck. */
export type FromEngineProcess =
  | { kind: 'loaded'; result: LoadResult }
  | { kind: 'frames'; frames: Frame[] }
  | { kind: 'log'; line: WorkerLogLine }
  | { kind: 'copies'; message: ToCopyStore }
  | { kind: 'left' }
  | { kind: 'alive' };

/** What a thread that prepares requests is asked. */
export interface PrepareTask {
  traits: ModelTraits;
  request: GenerationRequest;
}

/** The answer; an error is one for the caller. */
export type PrepareResult = { ok: true; prepared: Prepared } | { ok: false; error: ErrorData };
