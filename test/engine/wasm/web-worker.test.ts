import { expect, it } from 'vitest';
import { WebWorker } from '../../../dist/src/engine/wasm/node/web-worker.js';

/** Runs a script in a WebWorker. Resolves to its first message, or to the message of its error. */
function firstMessage(script: string, options: { name?: string; send?: unknown } = {}): Promise<unknown> {
  const url = URL.createObjectURL(new Blob([script]));
  const worker = new WebWorker(url, { name: options.name ?? '' });
  if (options.send !== undefined) worker.postMessage(options.send);
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => resolve(message);
  }).finally(() => worker.terminate());
}

it('runs a script in a Web Worker scope without process', async () => {
  const script = `postMessage([typeof process, self === globalThis, name, typeof WorkerGlobalScope, typeof location.href])`;
  expect(await firstMessage(script, { name: 'em' })).toEqual(['undefined', true, 'em', 'function', 'string']);
});

it('delivers messages that were sent before the script ran', async () => {
  expect(await firstMessage('onmessage = ({ data }) => postMessage(data + 1)', { send: 1 })).toBe(2);
});

it('nests', async () => {
  const inner = `onmessage = ({ data }) => postMessage(data * 2)`;
  const outer = `
    const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(inner)}])), { name: 'inner' });
    worker.onmessage = ({ data }) => postMessage(data);
    worker.postMessage(21);`;
  expect(await firstMessage(outer)).toBe(42);
});

it('transfers buffers', async () => {
  const script = `
    const buffer = new ArrayBuffer(8);
    postMessage(buffer, [buffer]);
    postMessage(buffer.byteLength);`;
  expect(await firstMessage(script)).toBeInstanceOf(ArrayBuffer);
});

it('compiles WebAssembly whole, not as it comes in, where its end could come between and take the process with it', async () => {
  // The smallest module. Its response lacks the content type that a streaming compilation needs.
  const script = `
    const response = new Response(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    WebAssembly.instantiateStreaming(response, {}).then(
      ({ module, instance }) => postMessage([module, instance].map(({ constructor }) => constructor.name)),
      (error) => postMessage(error.message),
    );`;
  expect(await firstMessage(script)).toEqual(['Module', 'Instance']);
});

it('reports an exception', async () => {
  expect(await firstMessage(`throw new Error('no good')`)).toBe('no good');
});

it('takes blob: URLs only', () => {
  expect(() => new WebWorker('https://example.org/worker.js')).toThrow(/blob:/);
});
