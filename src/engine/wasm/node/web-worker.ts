import { resolveObjectURL } from 'node:buffer';
import { type Transferable, Worker } from 'node:worker_threads';
import { programFile } from '../../../package-root.ts';

/** The data that an inner worker is started with. */
export interface ThreadData {
  code: Blob;
  name: string;
}

/** The fields of a Web Worker's error event that are read. */
export interface WorkerErrorEvent {
  type: 'error';
  message: string;
  error: Error;
}

/** The second argument of `postMessage`: a list, or the list inside an options object. */
export type TransferOption = readonly Transferable[] | { transfer?: readonly Transferable[] } | undefined;

/** Returns the list alone, as Node's `postMessage` takes it. */
export function transferList(option: TransferOption): readonly Transferable[] {
  if (option === undefined) return [];
  return 'transfer' in option ? (option.transfer ?? []) : (option as readonly Transferable[]);
}

/**
 * The browser's `Worker` on top of a thread. It takes `blob:` URLs of classic scripts; wllama and emscripten use no
 * others. The constructor throws a `TypeError` for another URL.
 */
export class WebWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: WorkerErrorEvent) => void) | null = null;
  readonly #thread: Worker;
  #terminated = false;

  constructor(url: string | URL, options: { name?: string } = {}) {
    const code = resolveObjectURL(String(url));
    if (code === undefined) throw new TypeError('Worker takes blob: URLs only');
    const workerData: ThreadData = { code, name: options.name ?? '' };
    this.#thread = new Worker(programFile('wasm-thread'), {
      workerData,
      // Inner threads don't need the flags of their parent, such as loaders and inspectors.
      execArgv: [],
      // wllama also prints exceptions to the console, although it reports them in messages.
      stdout: true,
      stderr: true,
    });
    this.#thread.on('message', (data) => this.onmessage?.({ data }));
    this.#thread.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#thread.on('exit', (code) => this.#fail(new Error(`the worker exited with code ${code}`)));
  }

  postMessage(data: unknown, transfer?: TransferOption): void {
    this.#thread.postMessage(data, transferList(transfer));
  }

  terminate(): void {
    this.#terminated = true;
    void this.#thread.terminate();
  }

  #fail(error: Error): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.onerror?.({ type: 'error', message: error.message, error });
  }
}
