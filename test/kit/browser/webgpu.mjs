// Loaded by `node --import` into every thread of a server: gives Node the WebGPU of the npm package `webgpu`, Dawn's
// bindings for Node. PADDOCK_WEBGPU names the folder of that package. If the file that PADDOCK_LOSE_CARD names exists, it
// is removed and the graphics card is lost, as after a reset of its driver.
import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(`${process.env.PADDOCK_WEBGPU}/index.js`).href);
Object.assign(globalThis, globals);
Object.defineProperty(globalThis.navigator, 'gpu', { value: create([]), configurable: true });

const sign = process.env.PADDOCK_LOSE_CARD;
if (sign) {
  const { requestDevice } = globals.GPUAdapter.prototype;
  globals.GPUAdapter.prototype.requestDevice = async function (options) {
    const device = await requestDevice.call(this, options);
    const { submit } = device.queue;
    device.queue.submit = (...buffers) => {
      if (isRemoved(sign)) device.destroy();
      return submit.apply(device.queue, buffers);
    };
    return device;
  };
}

function isRemoved(file) {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}
