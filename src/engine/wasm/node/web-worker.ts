import { resolveObjectURL } from 'node:buffer';
import { type Transferable, Worker } from 'node:worker_threads';

/** What an inner worker is started with. */
export interface ThreadData {
  code: Blob;
  name: string;
}

/** What a Web Worker's `onerror` is told, as far as it is read. */
export interface WorkerErrorEvent {
  type: 'error';
  message: string;
  error: Error;
}

/** The second argument of `postMessage`: a list, or the list inside an options object. */
export type TransferOption = readonly Transferable[] | { transfer?: readonly Transferable[] } | undefined;

/** The list alone, as Node's `postMessage` takes it. */
export function transferList(option: TransferOption): readonly Transferable[] {
  if (option === undefined) return [];
  return 'transfer' in option ? (option.transfer ?? []) : (option as readonly Transferable[]);
}

/** The browser's `Worker`, over a thread; it takes `blob:` URLs of classic scripts, all that wllama and emscripten use. */
export class WebWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: WorkerErrorEvent) => void) | null = null;
  readonly #thread: Worker;
  #terminated = false;

  constructor(url: string | URL, options: { name?: string } = {}) {
    const code = resolveObjectURL(String(url));
    if (code === undefined) throw new TypeError('Worker takes blob: URLs only');
    const workerData: ThreadData = { code, name: options.name ?? '' };
    this.#thread = new Worker(new URL('./thread.js', import.meta.url), {
      workerData,
      // The parent's flags (loaders, inspectors) are none of the inner threads' business.
      execArgv: [],
      // wllama prints exceptions to the console that it reports in messages as well.
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
