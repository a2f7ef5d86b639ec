import type { CallContext } from '../contract/call-context.ts';
import type { Port } from '../contract/port.ts';
import type { LoadResult } from '../engine/node/task.ts';
import type { Call } from '../wire/call.ts';

/** The workers that hold one loaded model: the process of a native engine, or the threads of WebAssembly engines. */
export interface ModelWorkers extends AsyncDisposable {
  load(): Promise<LoadResult>;
  /**
   * Resolves when a call can be run; after a crash, once another engine has loaded the model. Throws an `ApiError` if no engine can
   * be started.
   */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Runs a call at a worker with a free slot; the caller has made sure that there is one. `open` gets the port to the worker. Settles
   * when the slot is free again. Throws what the call throws, and `EngineDied` if the engine crashes.
   *
   * @param conversation the text by which a thread is chosen: the thread that served its beginning comes first
   */
  run(conversation: string, context: CallContext, open: (port: Port) => Call): Promise<void>;
  /** The ids of the model's processes. */
  pids(): number[];
}
