/** The start of an inner worker: makes this thread a Web Worker's global scope, then runs the script it was given. */
import { openAsBlob } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { webNavigator } from './globals.ts';
import { fromLocalUrl } from './local-url.ts';
import { type ThreadData, type TransferOption, transferList, WebWorker } from './web-worker.ts';

interface Scope {
  onmessage: ((event: { data: unknown }) => void) | null;
}

if (parentPort === null) throw new Error('thread.js runs in a worker thread only');
const port = parentPort;
const { code, name } = workerData as ThreadData;
const scope = globalThis as typeof globalThis & Scope;
const httpFetch = scope.fetch;

/** `fetch` that knows local files; streaming compilation insists on the content type. */
async function fetchAny(input: string, init?: RequestInit): Promise<Response> {
  const path = fromLocalUrl(input);
  if (path === null) return httpFetch(input, init);
  return new Response(await openAsBlob(path), { headers: { 'content-type': 'application/wasm' } });
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
// emscripten takes its web path only where it can't see Node.
Reflect.deleteProperty(globalThis, 'process');

runInThisContext(await code.text(), { filename: name || 'wllama' });
port.on('message', (data) => scope.onmessage?.({ data }));
