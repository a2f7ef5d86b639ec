import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { Api } from '../../../src/api/http/http.ts';
import {
  createContext,
  createFakeRunner,
  done,
  finish,
  get,
  post,
  progress,
  readBody,
  readJson,
  streamOf,
  text,
} from '../fixtures.ts';
import { readEvents, respond } from '../responses/fixtures.ts';

const hello = { type: 'message', role: 'user', content: 'Hello' };

const events = () => streamOf([progress(1, 1), text('Hi.'), finish(), done()]);

function open() {
  const runner = createFakeRunner(events);
  return { api: createApi(createContext({ runner }).context), runner };
}

const create = async (api: Api, body: object = {}) => readJson(await api(post('/v1/conversations', body)));
const itemsOf = async (api: Api, id: string, query = '') =>
  readJson(await api({ ...get(`/v1/conversations/${id}/items`), query }));
const remove = (path: string) => ({ ...get(path), method: 'DELETE' });

describe('a conversation', () => {
  it('is created, read, given other metadata and forgotten', async () => {
    const { api } = open();
    const created = await create(api, { metadata: { topic: 'bread' } });
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_\w{24}$/),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: { topic: 'bread' },
    });
    const path = `/v1/conversations/${created.id}`;
    expect(await readJson(await api(get(path)))).toEqual(created);
    expect(await readJson(await api(post(path, { metadata: { topic: 'soup' } })))).toEqual({
      ...created,
      metadata: { topic: 'soup' },
    });
    expect(await readJson(await api(remove(path)))).toEqual({
      id: created.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    for (const request of [get(path), remove(path), get(`${path}/items`), post(`${path}/items`, { items: [hello] })]) {
      const reply = await api(request);
      expect(reply.status).toBe(404);
      expect(await readJson(reply)).toMatchObject({ error: { code: 'conversation_not_found' } });
    }
  });

  it('keeps items with ids, in pages, until one is removed', async () => {
    const { api } = open();
    const { id } = await create(api, { items: [hello] });
    const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'c', output: 'A cat.' };
    const added = await readJson(await api(post(`/v1/conversations/${id}/items`, { items: [call, output] })));
    expect(added.data.map((item: { id: string }) => item.id)).toEqual([
      expect.stringMatching(/^fc_/),
      expect.stringMatching(/^fco_/),
    ]);
    const all = await itemsOf(api, id, 'order=asc');
    expect(all).toMatchObject({ object: 'list', has_more: false, first_id: all.data[0].id, last_id: all.data[2].id });
    expect(all.data[0]).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'Hello' }],
    });
    const types = (page: { data: { type: string }[] }) => page.data.map(({ type }) => type);
    expect(types(await itemsOf(api, id))).toEqual(['function_call_output', 'function_call', 'message']);
    const page = await itemsOf(api, id, 'limit=2&order=asc');
    expect([types(page), page.has_more]).toEqual([['message', 'function_call'], true]);
    expect(types(await itemsOf(api, id, `limit=2&order=asc&after=${page.last_id}`))).toEqual(['function_call_output']);

    const path = `/v1/conversations/${id}/items/${page.last_id}`;
    expect(await readJson(await api(get(path)))).toMatchObject({ type: 'function_call', name: 'look' });
    expect(await readJson(await api(remove(path)))).toMatchObject({ id, object: 'conversation' });
    expect((await api(get(path))).status).toBe(404);
    expect((await api(remove(path))).status).toBe(404);
    expect(types(await itemsOf(api, id, 'order=asc'))).toEqual(['message', 'function_call_output']);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
  ])('refuses the query %s', async (query, param) => {
    const { api } = open();
    const { id } = await create(api);
    const reply = await api({ ...get(`/v1/conversations/${id}/items`), query });
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param } });
  });

  it('refuses items that are none, and names the field', async () => {
    const { api } = open();
    const reply = await api(post('/v1/conversations', { items: [{ type: 'item_reference', id: 'x' }] }));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param: 'items[0].type' } });
  });

  it('belongs to the key that made it', async () => {
    const { api } = open();
    const { id } = await create(api);
    const reply = await api(get(`/v1/conversations/${id}`, { authorization: 'Bearer other' }));
    expect(reply.status).toBe(404);
  });
});

describe('a response that belongs to a conversation', () => {
  it.each([false, true])('reads its items, and its own are appended, streamed: %s', async (stream) => {
    const { api, runner } = open();
    const { id } = await create(api, { items: [hello, { ...hello, role: 'assistant', content: 'Hi there.' }] });
    const request = { input: 'And now?', conversation: stream ? { id } : id, store: false, stream };
    const reply = await api(respond(request));
    const response = stream ? readEvents(await readBody(reply)).at(-1)?.data.response : await readJson(reply);
    expect(response.conversation).toEqual({ id });
    const { prompt } = runner.asked.at(-1)?.request ?? {};
    expect(JSON.stringify(prompt)).toMatch(/Hello.*Hi there\..*And now\?/);
    const { data } = await itemsOf(api, id, 'order=asc');
    expect(data.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(data.at(-1)).toEqual(response.output[0]);
  });

  it('is refused if there is no such conversation, or beside previous_response_id', async () => {
    const { api } = open();
    const unknown = await api(respond({ conversation: 'conv_none' }));
    expect(unknown.status).toBe(404);
    expect(await readJson(unknown)).toMatchObject({ error: { code: 'conversation_not_found', param: 'conversation' } });
    const { id } = await create(api);
    const both = await api(respond({ conversation: id, previous_response_id: 'resp_1' }));
    expect(both.status).toBe(400);
    expect(await readJson(both)).toMatchObject({ error: { param: 'previous_response_id' } });
  });

  it('is no response by its id, and a response is no conversation', async () => {
    const { api } = open();
    const { id } = await create(api);
    expect((await api(get(`/v1/responses/${id}`))).status).toBe(404);
    expect((await api(remove(`/v1/responses/${id}`))).status).toBe(404);
    const response = await readJson(await api(respond()));
    expect((await api(get(`/v1/conversations/${response.id}`))).status).toBe(404);
    expect((await api(respond({ previous_response_id: id }))).status).toBe(400);
  });
});
