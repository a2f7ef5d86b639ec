// Loads pico as the engine's worker of a page does, in Node 24 with test/kit/browser/webgpu.mjs, and prints its facts and a reply
// as JSON. The argument is the most bytes that the graphics card has room for.
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { installWebGlobals } from '../../../src/engine/wasm/node/globals.ts';
import { toLocalUrl } from '../../../src/engine/wasm/node/local-url.ts';
import { blobBytes } from '../../../src/gguf/blob-bytes.ts';
import { pickDevice } from '../../../web/engine/device.ts';
import { loadBrowserEngine } from '../../../web/engine/load-model.ts';
import { probeAdapter } from '../../../web/gpu/adapter.ts';
import { measureRoom } from '../../../web/gpu/card-room.ts';
import { describeFiles } from '../../../web/models/describe.ts';
import { ask, textOf } from '../../kit/generation.ts';

installWebGlobals();
const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const model = await openAsBlob('models/pico/pico.gguf');
globalThis.caches = { match: async () => new Response(model) };

/** The software adapter, which a page would refuse, as one of a graphics card. */
const gpu = {
  async requestAdapter() {
    const adapter = await navigator.gpu.requestAdapter();
    const { features, limits } = adapter;
    return { features, limits, info: {}, requestDevice: (options) => adapter.requestDevice(options) };
  },
};

const stored = { place: 'shell', url: 'pico.gguf', size: model.size };
const file = { name: 'pico.gguf', bytes: blobBytes(model), stored, modified: 0 };
const { resolve } = createRequire(import.meta.url);
const assets = {
  wasm: toLocalUrl(resolve('@wllama/wllama/esm/wasm/wllama.wasm')),
  compat: {
    worker: { code: await readFile(resolve('@wllama/wllama-compat/wasm/wllama.js'), 'utf8') },
    wasm: toLocalUrl(resolve('@wllama/wllama-compat/wasm/wllama.wasm')),
  },
};
const warnings = [];
const ignore = () => {};
const log = { debug: ignore, info: ignore, warn: (message) => warnings.push(message), error: ignore };
const device = pickDevice({ gpu: await probeAdapter(gpu), isolated: true, cores: 1 });
const roomOnCard = async (wanted) => Math.min(most, await measureRoom(gpu, wanted));
const engine = await loadBrowserEngine(
  await describeFiles('pico', [file], { sources: [] }),
  { device, assets, roomOnCard, log },
  log,
);
const events = [];
await engine.service.generate(
  ask('What can you do?', { maxTokens: 12 }),
  ({ events: told }) => events.push(...told),
  new AbortController().signal,
);
process.stdout.write(JSON.stringify({ info: engine.info, device: engine.device, warnings, text: textOf(events) }));
process.exit();
