/** The start of an inner worker: makes this thread a Web Worker's global scope, then runs the script it was given. */
import { openAsBlob } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { webNavigator } from './globals.ts';
import { fromLocalUrl } from './local-url.ts';
import { WebAssembly } from './web-assembly.ts';
import { type ThreadData, type TransferOption, transferList, WebWorker } from './web-worker.ts';

interface Scope {
  onmessage: ((event: { data: unknown }) => void) | null;
}

if (parentPort === null) throw new Error('thread.js runs in a worker thread only');
const port = parentPort;
const { code, name } = workerData as ThreadData;
const scope = globalThis as typeof globalThis & Scope;
const httpFetch = scope.fetch;

/** `fetch` that knows local files. */
async function fetchAny(input: string, init?: RequestInit): Promise<Response> {
  const path = fromLocalUrl(input);
  return path === null ? httpFetch(input, init) : new Response(await openAsBlob(path));
}

/**
 * Compiles in one go what should be compiled as it comes in: V8 reads freed memory, and the whole process dies, when a
 * thread is ended amid a streaming compilation (seen with Node 20.20).
 */
async function instantiateAtOnce(response: Response | Promise<Response>, imports: object): Promise<object> {
  const module = new WebAssembly.Module(await (await response).arrayBuffer());
  return { module, instance: new WebAssembly.Instance(module, imports) };
}

const webWorkerGlobals = {
  self: globalThis,
  name,
  location: { href: 'file:///' },
  navigator: webNavigator(),
  WorkerGlobalScope: class {},
  Worker: WebWorker,
  fetch: fetchAny,
  onmessage: null,
  postMessage: (data: unknown, transfer?: TransferOption) => port.postMessage(data, transferList(transfer)),
};
for (const [key, value] of Object.entries(webWorkerGlobals)) {
  Object.defineProperty(globalThis, key, { value, writable: true, configurable: true });
}
WebAssembly.instantiateStreaming = instantiateAtOnce;
// emscripten takes its web path only where it can't see Node.
Reflect.deleteProperty(globalThis, 'process');

runInThisContext(await code.text(), { filename: name || 'wllama' });
port.on('message', (data) => scope.onmessage?.({ data }));
