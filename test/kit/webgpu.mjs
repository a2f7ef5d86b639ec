// Loaded by `node --import` into every thread of a server: gives Node the WebGPU of the npm package `webgpu`, Dawn's
// bindings for Node. PADDOCK_WEBGPU names the folder of that package.
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(`${process.env.PADDOCK_WEBGPU}/index.js`).href);
Object.assign(globalThis, globals);
Object.defineProperty(globalThis.navigator, 'gpu', { value: create([]), configurable: true });
