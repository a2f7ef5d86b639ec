import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { WEBGPU_PRELOAD, whatWebGpuLacks } from '../kit/browser/webgpu.ts';
import { startServer } from '../kit/servers/server.ts';
import { describeServerContract } from './server-target.ts';
import { contractIn } from './suite.ts';
import { WASM } from './targets.ts';

// llama.cpp's WebGPU kernels, as a browser runs them, in Node with Dawn's WebGPU. CONTRIBUTING.md says what it needs.

const missing = whatWebGpuLacks();

/** A software adapter computes every kernel on the processor, so not all sections run by default. */
const QUICK = ['completions and filters'];
const part = process.env.PADDOCK_TEST_WEBGPU === 'all' ? {} : { contract: contractIn(QUICK) };

const QUESTIONS = ['What can you do?', 'Who are you?', 'How do I add a model?'];

/** Returns the greedy replies of pico to a few questions. */
async function repliesOf(more: string[]): Promise<string[]> {
  const server = await startServer(['--backend', 'wasm', '--threads', '1', '--slots', '1', ...more]);
  try {
    const replies: string[] = [];
    for (const content of QUESTIONS) {
      const body = JSON.stringify({
        model: 'pico',
        messages: [{ role: 'user', content }],
        temperature: 0,
        max_tokens: 12,
      });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body, headers });
      expect(reply.status, server.log()).toBe(200);
      const { choices } = (await reply.json()) as { choices: [{ message: { content: string } }] };
      replies.push(choices[0].message.content);
    }
    return replies;
  } finally {
    await server.stop();
  }
}

/** Streams a greedy reply of pico, and returns its text and its comments. `onFirst` is called with the first words. */
async function streamed(url: string, onFirst: () => void): Promise<[text: string, comments: string]> {
  const messages = [{ role: 'user', content: 'What can you do?' }];
  const body = JSON.stringify({ model: 'pico', messages, temperature: 0, max_tokens: 24, stream: true });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers });
  let [text, comments, rest] = ['', '', ''];
  for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(':')) comments += line;
      if (!line.startsWith('data: {')) continue;
      const chunk = JSON.parse(line.slice('data: '.length)) as { choices?: [{ delta: { content?: string } }] };
      const delta = chunk.choices?.[0]?.delta.content ?? '';
      if (text === '' && delta !== '') onFirst();
      text += delta;
    }
  }
  return [text, comments];
}

if (missing === null) {
  vi.stubEnv('NODE_OPTIONS', `--import ${WEBGPU_PRELOAD}`);
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  const flags = ['--backend', 'wasm', '--threads', '1', '--gpu-layers', '99'];
  describeServerContract('server + wasm on WebGPU', flags, 1, { impossible: WASM.impossible, ...part });

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

    it('goes on with a reply after the graphics card was lost, as after a crash', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'paddock-card-'));
      const sign = join(folder, 'lose');
      const settings = ['--backend', 'wasm', '--threads', '1', '--slots', '1', '--gpu-layers', '99'];
      const server = await startServer(settings, { PADDOCK_LOSE_CARD: sign });
      try {
        const [whole] = await streamed(server.url, () => {});
        const [text, comments] = await streamed(server.url, () => writeFileSync(sign, ''));
        expect(existsSync(sign), 'the card was lost').toBe(false);
        expect(comments).toContain('engine');
        expect(text).toBe(whole);
        expect(server.log()).toContain('crashed');
      } finally {
        await server.stop();
        rmSync(folder, { recursive: true });
      }
    }, 240_000);

    it('replies the same whatever the batch, with a quantized KV cache, and with a part of the layers', async () => {
      const plain = await repliesOf(['--gpu-layers', '99', '--batch', '32']);
      expect(plain.map((text) => text.length)).not.toContain(0);
      expect(await repliesOf(['--gpu-layers', '99', '--batch', '512'])).toEqual(plain);
      expect(await repliesOf(['--gpu-layers', '99', '--batch', '512', '--kv-type', 'q8_0'])).toEqual(plain);
      expect(await repliesOf(['--gpu-layers', '3', '--batch', '256'])).toEqual(plain);
      expect(await repliesOf(['--gpu-layers', '0'])).toEqual(plain);
    }, 240_000);
  });
} else {
  it.skip(`the API contract on WebGPU (${missing})`);
}
