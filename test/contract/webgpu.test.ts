import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { WebAssembly } from '../../src/engine/wasm/node/web-assembly.ts';
import { startServer } from '../kit/servers/server.ts';
import { describeServerContract } from './server-target.ts';
import { WASM } from './targets.ts';

// llama.cpp's WebGPU kernels, as a browser runs them, in Node with Dawn's WebGPU. CONTRIBUTING.md says what it needs.

const preload = pathToFileURL(resolve('test/kit/webgpu.mjs')).href;
const missing = whatIsMissing();

/** A software adapter computes every kernel on the processor, so not all sections run by default. */
const QUICK = ['completions and filters'];
const sections = process.env.PADDOCK_TEST_WEBGPU === 'all' ? {} : { sections: QUICK };

/**
 * These compare a reply after a prompt that is cached with one after a prompt that is not. On WebGPU other kernels
 * compute one token than many, and tokens of the tiny model are nearly equally likely.
 */
const COMPARE_CACHED = [
  'completes a text for the openai client, whole and streamed alike',
  'echoes the prompt before the completion when asked',
  'reads a prompt from the cache although its billing line differs in every request, and counts each token once',
  'reuses the beginning of a prompt that it has seen, and says how much; cache_prompt false does not',
  'takes the name of a conversation, which does not change the reply, in prompt_cache_key or a session header',
  'tells logprobs for each token, with top_logprobs alternatives, whole and streamed alike',
];
const impossible = {
  ...WASM.impossible,
  ...Object.fromEntries(
    COMPARE_CACHED.map((title) => [title, 'the text of the tiny model differs with a cached prompt']),
  ),
};

/** Returns the reason why WebGPU can't be tested here; null if it can. */
function whatIsMissing(): string | null {
  if (!process.env.PADDOCK_WEBGPU) return 'PADDOCK_WEBGPU does not name the folder of the npm package webgpu';
  if (!('Suspending' in WebAssembly)) return `Node ${process.version} has no JSPI; Node 24 has`;
  const probe =
    'const a = await navigator.gpu.requestAdapter(); console.log(a?.features.has("shader-f16") ?? null); process.exit()';
  const args = ['--import', preload, '--input-type=module', '--eval', probe];
  const answer = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  if (answer === 'true') return null;
  return answer === 'false' ? 'the graphics adapter lacks shader-f16' : 'there is no graphics adapter';
}

if (missing === null) {
  vi.stubEnv('NODE_OPTIONS', `--import ${preload}`);
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  const flags = ['--backend', 'wasm', '--threads', '1', '--gpu-layers', '99'];
  describeServerContract('server + wasm on WebGPU', flags, 1, { impossible, ...sections });

  describe('WebGPU', () => {
    it('computes a model that puts its layers there', async () => {
      const { url, log, stop } = await startServer([...flags, '--models', inject('modelsFolder')], {
        PADDOCK_LOG_LEVEL: 'debug',
      });
      try {
        const body = JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hello' }], max_tokens: 2 });
        const headers = { 'content-type': 'application/json' };
        const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers });
        expect(reply.status).toBe(200);
        const health = await (await fetch(`${url}/health`)).json();
        expect(health).toMatchObject({ models: [{ backend: 'wasm', device: 'WebGPU' }] });
        expect(log()).toContain('ggml_webgpu: adapter_info');
      } finally {
        await stop();
      }
    });
  });
} else {
  it.skip(`the API contract on WebGPU (${missing})`);
}
