/** A worker thread with one WebAssembly engine and its chat layer, driven by messages; see wasm-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { createChatService } from '../../../dist/src/engine/chat-service.js';
import { loadWasmEngine } from '../../../dist/src/engine/wasm/node/load.js';
import { WebWorker } from '../../../dist/src/engine/wasm/node/web-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const aborts = new Map();
const describe = ({ name, message, data }) => ({ name, message, data });
const post = (message) => parentPort.postMessage(message);

/** The worker that runs llama.cpp. The command `kill` makes it die. */
let inner;
globalThis.Worker = class extends WebWorker {
  constructor(...args) {
    super(...args);
    inner = this;
  }
};

try {
  const engine = await loadWasmEngine(workerData, silent);
  const service = createChatService(engine);
  parentPort.on('message', ({ id, command, request }) => {
    if (command === 'abort') aborts.get(id)?.abort();
    if (command === 'dispose') void engine[Symbol.asyncDispose]();
    // wllama's worker throws if a command has no arguments.
    if (command === 'kill') inner.postMessage({ verb: 'fs.alloc', callbackId: -1 });
    if (command === 'generate') generate(service, id, request);
  });
  post({ info: engine.info });
} catch (error) {
  post({ failed: describe(error) });
}

function generate(service, id, request) {
  const abort = new AbortController();
  aborts.set(id, abort);
  service
    .generate(request, (event) => post({ id, event }), abort.signal)
    .then(
      () => post({ id, end: null }),
      (error) => post({ id, end: describe(error) }),
    );
}
