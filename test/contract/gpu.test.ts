import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { probeGpus } from '../../src/cli/doctor/backends.ts';
import { createFindGpu } from '../../src/pool/load/find-gpu.ts';
import { startServer } from '../kit/servers/server.ts';
import { describeServerContract } from './server-target.ts';
import { contractIn } from './suite.ts';

// A processor that Mesa offers as a Vulkan device is a GPU too, but only if it is asked for by number.
vi.stubEnv('GGML_VK_VISIBLE_DEVICES', process.env.GGML_VK_VISIBLE_DEVICES ?? '0');
// Some values of the tiny model are subnormal as 16-bit floats, which a device may take for 0.
vi.stubEnv('GGML_VK_DISABLE_F16', '1');
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Each shader is compiled at its first use. On two cores that also compute them, all sections take 7 minutes, and these a quarter of one. */
const QUICK = ['choices and logprobs', 'completions and filters'];
const part = process.env.PADDOCK_TEST_GPU === 'all' ? {} : { contract: contractIn(QUICK) };

const { ok, detail } = await probeGpus(createFindGpu('dist/programs/find-gpu.js'));

if (ok) {
  describeServerContract(`server + gpu, ${detail}`, ['--backend', 'gpu', '--threads', '1'], 20, {
    ...part,
    gpu: true,
  });

  describe('a GPU', () => {
    it('is what auto takes, with all layers on it', async () => {
      const flags = ['--models', inject('modelsFolder'), '--threads', '1'];
      const { url, log, stop } = await startServer(flags);
      try {
        const body = JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hello' }], max_tokens: 2 });
        const headers = { 'content-type': 'application/json' };
        const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers });
        expect(reply.status).toBe(200);
        const health = await (await fetch(`${url}/health`)).json();
        expect(health).toMatchObject({ models: [{ backend: 'gpu', fallback_reasons: [] }] });
        // The one of the model, and that of its output.
        expect(log()).toContain('"gpuLayers":2,');
      } finally {
        await stop();
      }
    });
  });
} else {
  it.skip(`the API contract on server + gpu (there is no GPU: ${detail})`);
}
