import type { CallContext } from '../contract/call-context.ts';
import type { Port } from '../contract/port.ts';
import type { LoadResult } from '../engine/node/task.ts';
import type { Call } from '../wire/wire.ts';

/** A call that a worker serves. It fails with `EngineDied` when its engine dies. */
export interface WorkerCall<E> extends Call<E> {
  /** Resolves when the slot that served the call is free again. It never rejects. */
  settled: Promise<void>;
}

/** What holds one loaded model: the process of a native engine, or the threads of WebAssembly ones. */
export interface ModelWorkers extends AsyncDisposable {
  load(): Promise<LoadResult>;
  /** Resolves when a call can be opened, after a death once another engine is there. Throws an `ApiError` when none comes. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Opens a call at a worker with a free slot; there must be one. `conversation` is the text by which a thread is chosen: the
   * one that served its beginning comes first. `open` gets the port to the worker.
   */
  call<E>(conversation: string, context: CallContext, open: (port: Port) => Call<E>): WorkerCall<E>;
  /** The processes that it consists of. */
  pids(): number[];
}
