import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { plainKeys } from '../../../src/api/keys/plain.ts';
import { invalidRequest } from '../../../src/contract/errors.ts';
import type { ImportedFile, Importer } from '../../../src/contract/models/importer.ts';
import type { PullEvent } from '../../../src/contract/models/puller.ts';
import { createContext, dataLines, post, readBody, readJson, streamOf } from '../fixtures.ts';

const STORED: PullEvent[] = [
  { status: 'downloading', file: 'x.gguf', completed: 4, total: 4, bytesPerSecond: 2, secondsLeft: 0 },
  { status: 'done', model: 'tiny', alreadyHere: false },
];

/** Makes an importer that yields these events and records which files it was given. */
function createFakeImporter(events: () => AsyncIterable<PullEvent> = () => streamOf(STORED)) {
  const files: ImportedFile[] = [];
  const importer: Importer = {
    importModel(file) {
      files.push(file);
      return events();
    },
  };
  return { importer, files };
}

const importing = (query: string) =>
  post('/v1/models/import', '', {
    query,
    headers: { 'content-type': 'application/octet-stream' },
    text: () => Promise.reject(new Error('the body was read as text')),
  });

describe('importing a model', () => {
  it('streams what happens, ending with the model and [DONE]', async () => {
    const { importer, files } = createFakeImporter();
    const reply = await createApi(createContext({ importer }).context)(importing('filename=x.gguf&size=4'));
    expect(reply.status).toBe(200);
    const lines = dataLines(await readBody(reply));
    expect(lines.pop()).toBe('[DONE]');
    expect(lines.map((line) => JSON.parse(line).status)).toEqual(['resolving', 'downloading', 'done']);
    expect(files).toEqual([{ filename: 'x.gguf', size: 4 }]);
  });

  it.each([
    ['', 'filename'],
    ['filename=', 'filename'],
    ['filename=x.gguf&size=many', 'size'],
  ])('is refused for the query %j with the name of the field', async (query, param) => {
    const { importer, files } = createFakeImporter();
    const reply = await createApi(createContext({ importer }).context)(importing(query));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { param } });
    expect(files).toEqual([]);
  });

  it('answers with the status of what is wrong with the file', async () => {
    const { importer } = createFakeImporter(async function* () {
      yield { status: 'resolving' };
      throw invalidRequest('It is no GGUF.', 'filename', 'not_a_gguf');
    });
    const reply = await createApi(createContext({ importer }).context)(importing('filename=x.gguf'));
    expect(reply.status).toBe(400);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'not_a_gguf' } });
  });

  it('needs a key where the API does, and another method is a 405', async () => {
    const { importer, files } = createFakeImporter();
    const api = createApi(createContext({ importer, apiKeys: plainKeys(['sk-one']) }).context);
    expect((await api(importing('filename=x.gguf'))).status).toBe(401);
    const wrong = { ...importing('filename=x.gguf'), method: 'PUT', headers: { authorization: 'Bearer sk-one' } };
    expect(await api(wrong)).toMatchObject({ status: 405, headers: { allow: expect.stringContaining('POST') } });
    expect(files).toEqual([]);
  });

  it('is refused where no files are taken', async () => {
    const reply = await createApi(createContext().context)(importing('filename=x.gguf'));
    expect(reply.status).toBe(501);
    expect(await readJson(reply)).toMatchObject({ error: { code: 'not_supported_here' } });
  });
});
