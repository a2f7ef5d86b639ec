import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { modelEntries, tensor, writeSparse } from '../catalogue/node/fixtures.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-loading-'));
  await cp(inject('modelsFolder'), folder, { recursive: true });
  // A sparse file. Its header and its size claim 275 GB.
  await writeSparse(join(folder, 'huge.gguf'), modelEntries(), [tensor('weights', [2 ** 18, 2 ** 18])]);
  const flags = '--backend cpu --threads 1 --max-loaded-models 1 --log-level info'.split(' ');
  server = await startServer(['--models', folder, ...flags]);
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
});

async function chat(model: string, more: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 4,
      temperature: 0,
      ...more,
    }),
  });
}

async function saying(model: string): Promise<string> {
  const reply = (await (await chat(model)).json()) as { choices: { message: { content: string } }[] };
  return reply.choices[0]?.message.content ?? '';
}

/** Returns the models that the server reports as loaded. The list and /health must agree. */
async function loadedModels(): Promise<string[]> {
  const { data } = (await (await fetch(`${server.url}/v1/models`)).json()) as {
    data: { id: string; loaded: boolean }[];
  };
  const health = (await (await fetch(`${server.url}/health`)).json()) as { models: { id: string; memory: number }[] };
  const ids = data.filter(({ loaded }) => loaded).map(({ id }) => id);
  expect(health.models.map(({ id }) => id)).toEqual(ids);
  for (const { memory } of health.models) expect(memory).toBeGreaterThan(2 ** 20);
  return ids;
}

describe('a server of one model at a time', () => {
  it('says which model is loaded while they change, and their replies stay the same', async () => {
    expect(await loadedModels()).toEqual([]);
    const tiny = await saying('tiny');
    expect(await loadedModels()).toEqual(['tiny']);
    await saying('shelf/brief');
    expect(await loadedModels()).toEqual(['shelf/brief']);
    expect(await saying('tiny')).toBe(tiny);
  });

  it('serves requests for several models at once, each in its turn', async () => {
    const replies = await Promise.all(['tiny', 'shelf/brief', 'tiny', 'shelf/brief', 'tiny'].map((id) => chat(id)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it.each([false, true])('refuses a model that cannot fit with 503 and figures, stream: %s', async (stream) => {
    const tiny = await saying('tiny');
    const reply = await chat('huge', { stream });
    expect(reply.status).toBe(503);
    expect(await reply.json()).toMatchObject({
      error: {
        type: 'server_error',
        code: 'insufficient_memory',
        message: expect.stringMatching(
          /'huge'.*needs 27\d GB.*GB of weights.*can be had.*Each token reads .*GB of weights.*Weights of up to .*GB would fit/,
        ),
      },
    });
    expect(await loadedModels()).toEqual(['tiny']);
    expect(await saying('tiny')).toBe(tiny);
  });
});
