import { copyFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { text } from '../kit/models/gguf-writer.ts';
import { writeTinyAdapter } from '../kit/models/tiny-adapter.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let folder: string;
let server: RunningServer;

const place = (name: string) => join(folder, name);
const tiny = () => join(inject('modelsFolder'), 'tiny.gguf');
const writeJson = (model: string, lora: object[]) =>
  writeFileSync(place(`${model}.model.json`), JSON.stringify({ settings: { lora } }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-adapters-'));
  for (const model of ['base', 'styled', 'plain', 'broken']) copyFileSync(tiny(), place(`${model}.gguf`));
  writeTinyAdapter(place('style.gguf'), { flips: [2, 3, 4, 5] });
  writeTinyAdapter(place('tone.gguf'), { flips: [6, 7, 8] });
  writeTinyAdapter(place('foreign.gguf'), { flips: [2], entries: { 'general.architecture': text('llama') } });
  writeTinyAdapter(place('deep.gguf'), { flips: [2], block: 5 });
  writeJson('base', [
    { id: 'style', scale: 0 },
    { id: 'tone', scale: 0 },
    { id: 'foreign', scale: 1 },
  ]);
  writeJson('styled', [{ id: 'style' }]);
  writeJson('broken', [{ id: 'deep' }]);
  const flags = ['--backend', 'cpu', '--threads', '1', '--slots', '4', '--no-cache', '--models', folder];
  server = await startServer(flags, { PADDOCK_LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function post(path: string, body: object) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const get = async (path: string) => (await fetch(server.url + path)).json();

const messages = [{ role: 'user', content: 'hello' }];
const common = { temperature: 0, max_tokens: 16 };

/** The endpoints that generate a text: the path, the body, and the text of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: what a server says is checked by the tests, not by types.
const ENDPOINTS: [path: string, body: object, textOf: (reply: any) => string][] = [
  ['/v1/chat/completions', { ...common, messages }, ({ choices }) => choices[0].message.content],
  ['/v1/completions', { ...common, prompt: 'hello' }, ({ choices }) => choices[0].text],
  [
    '/v1/responses',
    { temperature: 0, max_output_tokens: 16, input: 'hello' },
    ({ output }) => output[0].content[0].text,
  ],
  ['/v1/messages', { ...common, messages }, ({ content }) => content[0].text],
  ['/api/chat', { messages, options: { temperature: 0, num_predict: 16 } }, ({ message }) => message.content],
  [
    '/api/generate',
    { prompt: 'hello', raw: true, options: { temperature: 0, num_predict: 16 } },
    ({ response }) => response,
  ],
];

async function say(model: string, [path, body, textOf]: (typeof ENDPOINTS)[number], lora?: object[]): Promise<string> {
  const reply = await post(path, { model, stream: false, ...body, ...(lora && { lora }) });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return textOf(reply.body);
}

describe('the LoRA adapters of a model', { timeout: 120_000 }, () => {
  it('are applied by name and by index, in every dialect', async () => {
    for (const endpoint of ENDPOINTS) {
      const plain = await say('base', endpoint);
      const styled = await say('base', endpoint, [{ id: 'style', scale: 1 }]);
      const toned = await say('base', endpoint, [{ id: 1, scale: 1 }]);
      expect(new Set([plain, styled, toned]).size, endpoint[0]).toBe(3);
      expect(await say('base', endpoint, [{ id: 0, scale: 1 }])).toBe(styled);
      expect(await say('base', endpoint, [{ id: 'tone', scale: 0 }])).toBe(plain);
      expect(await say('styled', endpoint)).toBe(styled);
      expect(await say('styled', endpoint, [{ id: 0, scale: 0 }])).toBe(plain);
    }
  });

  it('are listed with their index and their default scale', async () => {
    expect(await get('/lora-adapters')).toEqual([
      { id: 0, name: 'style', scale: 0, model: 'base' },
      { id: 1, name: 'tone', scale: 0, model: 'base' },
      { id: 0, name: 'deep', scale: 1, model: 'broken' },
      { id: 0, name: 'style', scale: 1, model: 'styled' },
    ]);
    expect(await get('/v1/models/styled')).toMatchObject({ settings: { lora: [{ id: 'style', scale: 1 }] } });
  });

  it('are loaded when a model.json names them, while the model is in use', async () => {
    const [chat] = ENDPOINTS;
    if (!chat) throw new Error('there is no endpoint');
    const before = await say('plain', chat);
    writeJson('plain', [{ id: 'tone', scale: 0 }, { id: 'style' }]);
    await eventually(async () => expect(await get('/v1/models/plain')).toHaveProperty('settings.lora'));
    expect(await say('plain', chat)).toBe(await say('styled', chat));
    expect(await say('plain', chat, [{ id: 0, scale: 0 }])).toBe(before);
  });

  it('do not have one of another architecture: the log says so, and a request for it is a 400', async () => {
    await eventually(() =>
      expect(server.log()).toMatch(/settings\.lora\[2\]: foreign\.gguf is for models of the architecture llama/),
    );
    const body = { model: 'base', messages, lora: [{ id: 'foreign', scale: 1 }] };
    expect(await post('/v1/chat/completions', body)).toMatchObject({
      status: 400,
      body: {
        error: { code: 'unknown_lora', param: 'lora[0].id', message: expect.stringContaining("It has 'style' (0)") },
      },
    });
  });

  it('fail the load if they change a tensor that the model lacks, and the log says which', async () => {
    const refused = await post('/v1/chat/completions', { model: 'broken', messages });
    expect(refused).toMatchObject({ status: 500, body: { error: { code: 'model_load_failed' } } });
    const reason = /LoRA adapter 'deep'.*'blk\.5\.attn_v\.weight' does not exist in base model/;
    await eventually(() => expect(server.log()).toMatch(reason));
  });
});
