import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { WEBGPU_PRELOAD, whatWebGpuLacks } from '../../kit/browser/webgpu.ts';

// The load of a page's engine on a real adapter of WebGPU, which no browser of the tests has. CONTRIBUTING.md says what it
// needs.

const missing = whatWebGpuLacks();
const MINUTES_MS = 120_000;

/** Loads pico on a card with room for so many bytes. */
async function load(room?: number) {
  const script = 'test/web/engine/load-on-card.mjs';
  const args = ['--import', WEBGPU_PRELOAD, script, ...(room === undefined ? [] : [String(room)])];
  // The threads of wllama get the preload, too.
  const env = { ...process.env, NODE_OPTIONS: `--import ${WEBGPU_PRELOAD}` };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

describe.skipIf(missing !== null)(`a model of a page on a graphics card${missing ? ` (${missing})` : ''}`, () => {
  it(
    'is there as a whole, in part or not at all, and replies the same',
    async () => {
      const whole = await load();
      expect(whole).toMatchObject({
        info: { backend: 'gpu', device: 'WebGPU', gpuLayers: 6, contextLength: 1024 },
        device: { backend: 'webgpu', reason: 'A graphics adapter with half floats is there.' },
        warnings: [],
      });
      const part = await load(18_000_000);
      expect(part).toMatchObject({ info: { gpuLayers: 3 }, device: { partly: true }, text: whole.text });
      const none = await load(1000);
      expect(none).toMatchObject({ info: { backend: 'wasm', gpuLayers: 0 }, text: whole.text });
      expect(none.device.reason).toMatch(/^No WebGPU: the model does not fit there: it takes 23\.2 MB; /);
    },
    MINUTES_MS,
  );
});
