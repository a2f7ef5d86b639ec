import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { batchRequestSchema } from '../../../src/api/batches/schema.ts';
import type { Api } from '../../../src/api/http/http.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { type BatchFolder, openBatches } from '../../../src/batches/folder.ts';
import { silentLog } from '../../kit/log.ts';
import { createContext, get, post, readBody, readJson, refusalOf } from '../fixtures.ts';

let folder: string;
let opened: BatchFolder;
let api: Api;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-batches-'));
  opened = await openBatches({ folder, log: silentLog });
  // The batches are not started: each stays as it was made.
  api = createApi(createContext({ batches: opened.get, apiKeys: plainKeys(['sk-a', 'sk-b']) }).context);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const as = (key: string) => ({ 'x-api-key': key });
const ada = as('sk-a');

async function upload(fields: Record<string, string | Blob>, headers = ada) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'asked.jsonl');
  }
  const request = new Request('http://127.0.0.1', { method: 'POST', body: form });
  const bytes = new Uint8Array(await request.arrayBuffer());
  const type = request.headers.get('content-type') ?? '';
  return api({ ...post('/v1/files', {}), headers: { ...headers, 'content-type': type }, bytes: async () => bytes });
}

const file = new Blob(['{"a":"ä"}\n']);
const batch = (body: object, headers = ada) => {
  const request = post('/v1/batches', body);
  return api({ ...request, headers: { ...request.headers, ...headers } });
};
const read = async (path: string, headers = ada, query = '') => api({ ...get(path, headers), query });

describe('a file', () => {
  it('is stored, read, listed by its purpose and deleted, and its key alone sees it', async () => {
    const stored = await readJson(await upload({ file, purpose: 'batch' }));
    expect(stored).toMatchObject({ object: 'file', filename: 'asked.jsonl', bytes: 11, purpose: 'batch' });
    expect(stored.expires_at - stored.created_at).toBe(30 * 24 * 60 * 60);
    const path = `/v1/files/${stored.id}`;
    expect(await readJson(await read(path))).toEqual(stored);
    const content = await read(`${path}/content`);
    expect(content.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await readBody(content)).toBe('{"a":"ä"}\n');
    expect((await readJson(await read('/v1/files', ada, 'purpose=batch'))).data).toEqual([stored]);
    expect((await readJson(await read('/v1/files', ada, 'purpose=batch_output'))).data).toEqual([]);
    for (const request of [
      get(path, as('sk-b')),
      get(`${path}/content`, as('sk-b')),
      { ...get(path, as('sk-b')), method: 'DELETE' },
    ]) {
      const reply = await api(request);
      expect([reply.status, (await readJson(reply)).error.code]).toEqual([404, 'file_not_found']);
    }
    expect(await readJson(await api({ ...get(path, ada), method: 'DELETE' }))).toMatchObject({ deleted: true });
    expect((await read(path)).status).toBe(404);
  });

  it.each([
    [{ purpose: 'batch' }, 'file is required.'],
    [{ file: 'text', purpose: 'batch' }, 'file must be a file.'],
    [{ file }, 'purpose is required.'],
    [{ file, purpose: 'fine-tune' }, 'purpose must be one of batch.'],
    [{ file, purpose: 'batch', 'expires_after[seconds]': '60' }, 'must be an integer between 3600 and 2592000.'],
    [{ file, purpose: 'batch', 'expires_after[anchor]': 'x' }, 'must be one of created_at.'],
  ])('is refused if its form is wrong: %j', async (fields, message) => {
    const reply = await upload(fields as Record<string, string | Blob>);
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error.message).toContain(message);
  });
});

describe('a batch', () => {
  const wanted = (id: string) => ({ input_file_id: id, endpoint: '/v1/embeddings', completion_window: '24h' });

  it('is made of a file, read, listed in pages and cancelled, and its key alone sees it', async () => {
    const { id: fileId } = await readJson(await upload({ file, purpose: 'batch' }));
    const made = [];
    for (const night of ['1', '2', '3'])
      made.push(await readJson(await batch({ ...wanted(fileId), metadata: { night } })));
    const [first, second, third] = made;
    expect(first).toMatchObject({ status: 'validating', input_file_id: fileId, metadata: { night: '1' } });
    expect(await readJson(await read(`/v1/batches/${first.id}`))).toEqual(first);
    const page = await readJson(await read('/v1/batches', ada, 'limit=2'));
    expect(page).toMatchObject({ first_id: third.id, last_id: second.id, has_more: true });
    const rest = await readJson(await read('/v1/batches', ada, `after=${second.id}`));
    expect(rest).toMatchObject({ data: [first], has_more: false });
    expect((await readJson(await read('/v1/batches', as('sk-b')))).data).toEqual([]);
    for (const request of [
      get(`/v1/batches/${first.id}`, as('sk-b')),
      post(`/v1/batches/${first.id}/cancel`, {}, { headers: as('sk-b') }),
    ])
      expect((await readJson(await api(request))).error.code).toBe('batch_not_found');
    const cancelled = await readJson(await api(post(`/v1/batches/${first.id}/cancel`, {}, { headers: ada })));
    expect(cancelled).toMatchObject({ id: first.id, status: 'cancelling', cancelling_at: expect.any(Number) });
  });

  it('needs a file of its key', async () => {
    const { id } = await readJson(await upload({ file, purpose: 'batch' }, as('sk-b')));
    const reply = await batch(wanted(id));
    expect(reply.status).toBe(404);
    expect((await readJson(reply)).error).toMatchObject({ code: 'file_not_found', param: 'input_file_id' });
  });

  it.each([
    [{ endpoint: '/v1/images' }, 'endpoint', /must be one of \/v1\/chat\/completions, /],
    [{ completion_window: '1h' }, 'completion_window', /must be one of 24h/],
    [{ metadata: { a: 1 } }, 'metadata.a', /must be a string/],
    [{ metadata: { a: 'x'.repeat(513) } }, 'metadata.a', /at most 512 characters/],
    [{ metadata: Object.fromEntries([...'abcdefghijklmnopq'].map((key) => [key, ''])) }, 'metadata', /at most 16 keys/],
    [{ output_expires_after: { anchor: 'created_at', seconds: 1 } }, 'output_expires_after.seconds', /3600/],
  ])('with %j is refused', (more, param, message) => {
    const { data } = refusalOf(batchRequestSchema, { ...wanted('file'), ...more });
    expect(data).toMatchObject({ status: 400, param });
    expect(data.message).toMatch(message);
  });
});

describe('a Paddock without a disk', () => {
  it.each(['/v1/files', '/v1/batches', '/v1/files/x', '/v1/batches/x', '/v1/files/x/content'])(
    'says at GET %s that it keeps no files and runs no batches',
    async (path) => {
      const reply = await createApi(createContext().context)(get(path));
      expect(reply.status).toBe(501);
      expect((await readJson(reply)).error).toMatchObject({
        code: 'not_supported_here',
        message: 'This Paddock keeps no files and runs no batches: it has no disk.',
      });
    },
  );
});
