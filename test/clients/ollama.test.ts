import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ollama, type ProgressResponse } from 'ollama';
import { Ollama as BrowserOllama } from 'ollama/browser';
import { describe, expect, inject, it } from 'vitest';
import { collect } from '../api/fixtures.ts';
import { startServer } from '../kit/servers/server.ts';
import { startHub } from '../kit/servers/test-hub.ts';
import { API_KEY, servePaddock } from './paddock.ts';

const host = (await servePaddock()).replace(/\/v1$/, '');
const headers = { authorization: `Bearer ${API_KEY}` };
const options = { temperature: 0, num_predict: 8 };

describe('the ollama package', () => {
  it.each([
    ['over uWebSockets.js', {}],
    ['over node:http', { PADDOCK_HTTP: 'node' }],
  ])('pulls a model from a hub, uses it by the name it was pulled by, and deletes it, %s', async (_, env) => {
    const models = await mkdtemp(join(tmpdir(), 'paddock-ollama-'));
    const hub = await startHub();
    hub.put('org/demo', 'demo-F32.gguf', await readFile(join(inject('modelsFolder'), 'shelf', 'brief.gguf')));
    const flags = ['--models', models, '--backend', 'cpu', '--threads', '1', '--allow-private-sources'];
    const server = await startServer(flags, { HF_ENDPOINT: hub.url, ...env });
    try {
      const client = new Ollama({ host: server.url });
      const name = 'hf.co/org/demo:F32';
      const progress: ProgressResponse[] = await collect(await client.pull({ model: name, stream: true }));
      const statuses = progress.map(({ status }) => status);
      expect(statuses[0]).toBe('pulling manifest');
      expect(statuses.slice(-3)).toEqual(['verifying sha256 digest', 'writing manifest', 'success']);
      const bars = progress.filter(({ digest }) => digest !== undefined);
      expect(new Set(bars.map(({ digest }) => digest)).size).toBe(1);
      expect(bars.at(-1)?.completed).toBe(bars.at(-1)?.total);
      expect(await client.pull({ model: name })).toEqual({ status: 'success' });

      expect((await client.list()).models.map((model) => model.name)).toContain('org/demo:F32');
      const messages = [{ role: 'user', content: 'hi' }];
      expect((await client.chat({ model: name, messages, options })).model).toBe(name);
      expect(await client.delete({ model: name })).toEqual({ status: 'success' });
      await expect(client.show({ model: name })).rejects.toMatchObject({ status_code: 404 });
      await expect(client.pull({ model: 'hf.co/org/none' })).rejects.toMatchObject({ status_code: 404 });
    } finally {
      await server.stop();
      await hub.close();
      await rm(models, { recursive: true });
    }
  });

  it('cuts a text that is too long for a vector, unless truncate is false', async () => {
    const client = new Ollama({ host, headers });
    const input = ['short', 'word '.repeat(900)];
    const { embeddings, prompt_eval_count } = await client.embed({ model: 'embed/mini', input });
    expect(embeddings).toHaveLength(2);
    expect(prompt_eval_count).toBeGreaterThan(500);
    expect(prompt_eval_count).toBeLessThan(520);
    expect((await client.embed({ model: 'embed/mini', input: 'short' })).embeddings[0]).toEqual(embeddings[0]);
    await expect(client.embed({ model: 'embed/mini', input, truncate: false })).rejects.toMatchObject({
      status_code: 400,
    });
  });

  it('works in its form for browsers too', async () => {
    const client = new BrowserOllama({ host, headers });
    const parts = await collect(await client.generate({ model: 'tiny', prompt: 'hi', options, stream: true }));
    const whole = await client.generate({ model: 'tiny', prompt: 'hi', options });
    expect(parts.map(({ response }) => response).join('')).toBe(whole.response);
  });

  it('aborts all its streams at once, and says so', async () => {
    const client = new Ollama({ host, headers });
    const stream = await client.chat({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }], stream: true });
    const reading = collect(stream);
    client.abort();
    await expect(reading).rejects.toThrow(/abort/i);
  });
});
