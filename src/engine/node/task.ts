import type { MessagePort } from 'node:worker_threads';
import type { ModelTraits, PreparedRequest } from '../../chat/prepare.ts';
import type { BackendName, EngineInfo } from '../../contract/engine-info.ts';
import type { ErrorData } from '../../contract/errors.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { EngineOptions } from '../engine.ts';
import type { PartSizes } from '../memory-estimate.ts';
import type { FromCopyStore, ToCopyStore } from './copy-messages.ts';
import type { Frame } from './port-mux.ts';

/** The configuration of a worker thread: its `workerData`. */
export interface WorkerConfig {
  backend: BackendName;
  engine: EngineOptions;
  /** The result of `stampOf` for the model's files. An engine must not run if its files have another stamp. */
  stamp: string | null;
  /**
   * In bytes. `needed` is the least memory that the model needs. `available` is the machine's available memory, without
   * that of a GPU. `parts` is given for a GPU.
   */
  memory: { needed: number; available: number; parts?: PartSizes };
  /** The figures for the store of copies; null if the engine has no store. */
  copies: CopyFigures | null;
}

/** The figures of a model's header from which the size of copies is estimated. */
export interface CopyFigures {
  /** The bytes of the keys and values of one token. */
  bytesPerToken: number;
}

/** A task for a worker thread. */
export type WorkerTask =
  | { kind: 'load' }
  /** Serves the one call that comes over the port, in the messages of `src/wire`. The task ends with the call. */
  | { kind: 'serve'; port: MessagePort };

/** The answer to `load`. A failure's reason is for the log and the operator, not for clients. */
export type LoadResult =
  | { ok: true; info: EngineInfo; traits: ModelTraits }
  /** `changed` is true if the model's files no longer have the stamp of the configuration. */
  | { ok: false; reason: string; lacksMemory: boolean; changed: boolean };

/** A log line on its way from a worker to the main thread. */
export interface WorkerLogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

/** Which of llama.cpp's libraries for the CPU a process opens: with Paddock's kernels or with llama.cpp's own. */
export interface CpuLibraries {
  stockKernels: boolean;
}

/** A message from the server to an engine's process. Plain data. */
export type ToEngineProcess =
  /** Opens the libraries that a later `load` needs. Without it, `load` opens them. */
  | { kind: 'open'; libraries: CpuLibraries }
  | { kind: 'load'; config: WorkerConfig }
  | { kind: 'frames'; frames: Frame[] }
  | { kind: 'copies'; message: FromCopyStore }
  /**
   * Asks the process to copy all slots that have no copy yet, and to answer `left`. Then the server ends the process.
   */
  | { kind: 'leave' };

/** A message from an engine's process. `alive` comes every second: a process that is silent for long is stuck. */
export type FromEngineProcess =
  | { kind: 'loaded'; result: LoadResult }
  | { kind: 'frames'; frames: Frame[] }
  | { kind: 'log'; line: WorkerLogLine }
  | { kind: 'copies'; message: ToCopyStore }
  | { kind: 'left' }
  | { kind: 'alive' };

/** The `workerData` of a thread that prepares requests. */
export interface PrepareThreadData {
  /** A chat template whose format is found before the first task. */
  template?: string | undefined;
}

/** A task for a thread that prepares requests. */
export interface PrepareTask {
  traits: ModelTraits;
  request: GenerationRequest;
}

/** The answer to a `PrepareTask`. The error is an `ApiError` for the client. */
export type PrepareResult = { ok: true; prepared: PreparedRequest } | { ok: false; error: ErrorData };

/** A message from a thread that prepares requests. */
export type FromPrepareThread =
  /** The thread can take tasks. `systemId` is its id for `setPriority` on Linux; null elsewhere, where that sets whole processes only. */
  { kind: 'started'; systemId: number | null } | { kind: 'done'; result: PrepareResult };
