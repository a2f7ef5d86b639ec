/**
 * The entry point of an inner worker. It gives this thread the global scope of a Web Worker and then runs the script
 * that it was given.
 */
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

/** Like `fetch`, but also loads local files. */
async function fetchAny(input: string, init?: RequestInit): Promise<Response> {
  const path = fromLocalUrl(input);
  return path === null ? httpFetch(input, init) : new Response(await openAsBlob(path));
}

/**
 * Compiles a module in one go instead of while it streams in. If a thread is ended during a streaming compilation, V8
 * reads freed memory and the whole process dies (seen with Node 20.20).
 */
async function instantiateAtOnce(response: Response | Promise<Response>, imports: object): Promise<object> {
  const module = new WebAssembly.Module(await (await response).arrayBuffer());
  return { module, instance: new WebAssembly.Instance(module, imports) };
}

const webWorkerGlobals = {
  self: globalThis,
  name,
  location: new URL('file:///'),
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
// emscripten only takes its code path for the web if it can't see Node.
Reflect.deleteProperty(globalThis, 'process');

void code.text().then((text) => {
  runInThisContext(text, { filename: name || 'wllama' });
  port.on('message', (data) => scope.onmessage?.({ data }));
});
