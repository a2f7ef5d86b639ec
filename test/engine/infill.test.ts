import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { until } from '../kit/until.ts';

let folder: string;
let servers: RunningServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-infill-'));
  writeTinyModel(join(folder, 'coder.gguf'), { infill: true });
  servers = await Promise.all(
    ['cpu', 'wasm'].map((backend) =>
      startServer(['--models', folder, '--backend', backend, '--threads', '1', '--slots', '1'], {
        PADDOCK_LOG_LEVEL: 'warn',
      }),
    ),
  );
});
afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  await rm(folder, { recursive: true });
});

const keystroke = {
  model: 'coder',
  input_prefix: 'function add(a, b) {\n',
  input_suffix: '\n}\n',
  prompt: '  return a',
};

function post(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/infill`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ n_predict: 8, samplers: ['top_k', 'infill'], ...keystroke, ...body }),
    ...(signal && { signal }),
  });
}

const isIdle = async (url: string) => {
  const { models } = (await (await fetch(`${url}/health`)).json()) as { models: { busy: number; waiting: number }[] };
  return models.every(({ busy, waiting }) => busy === 0 && waiting === 0);
};

describe.each([0, 1])('a model that can infill, on target %i', (target) => {
  const url = () => servers[target]?.url ?? '';

  it('fills a gap, and reads the text before the cursor from the cache at the next keystroke', async () => {
    const first = await (await post(url(), {})).json();
    expect(first).toMatchObject({ tokens_predicted: 8, stop_type: 'limit', truncated: false });
    const next = (await (await post(url(), { prompt: '  return a ' })).json()) as { timings: { cache_n: number } };
    expect(next.timings.cache_n).toBeGreaterThan('function add(a, b) {\n'.length);
  });

  it('streams the text that it answers whole', async () => {
    const { content } = (await (await post(url(), {})).json()) as { content: string };
    const stream = await (await post(url(), { stream: true })).text();
    const events = stream
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.replace(/^data: /, '')));
    expect(events.map((event) => event.content).join('')).toBe(content);
    expect(events.map(({ stop }) => stop)).toEqual([...events.slice(1).map(() => false), true]);
    expect(events.at(-1)).toMatchObject({ content: '', tokens_predicted: 8, stop_type: 'limit' });
  });

  it('shortens a gap that does not fit its window', async () => {
    const long = await post(url(), { input_prefix: 'let x = 1;\n'.repeat(400) });
    expect(long.status).toBe(200);
    expect(await long.json()).toMatchObject({ truncated: true, tokens_predicted: 8 });
  });

  it('takes the next keystroke as soon as the client has left the one before', async () => {
    for (let keystroke = 0; keystroke < 20; keystroke++) {
      const leave = new AbortController();
      const left = post(url(), { prompt: `  return ${'a'.repeat(keystroke)}`, n_predict: 500 }, leave.signal);
      await until(async () => !(await isIdle(url())));
      leave.abort();
      await expect(left).rejects.toThrow();
    }
    expect((await post(url(), {})).status).toBe(200);
    await until(() => isIdle(url()));
  });
});
