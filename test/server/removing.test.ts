import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let root: string;
let folder: string;
let server: RunningServer;
let client: OpenAI;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paddock-removing-'));
  folder = join(root, 'models');
  await cp(inject('modelsFolder'), folder, { recursive: true });
  await cp(inject('modelsFolder'), join(root, 'elsewhere'), { recursive: true });
  await symlink(join(root, 'elsewhere'), join(folder, 'linked'));
  server = await startServer(['--models', folder, '--backend', 'cpu', '--threads', '1']);
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await server?.stop();
  await rm(root, { recursive: true });
});

async function servedModels(): Promise<string[]> {
  return (await client.models.list()).data.map(({ id }) => id);
}

describe('DELETE /v1/models/{id} on a server', () => {
  it('removes the files and the folder if that is empty then, and the model is gone at once', async () => {
    expect(await client.models.delete('shelf/brief')).toEqual({ id: 'shelf/brief', object: 'model', deleted: true });
    expect(await servedModels()).not.toContain('shelf/brief');
    expect(await readdir(folder)).not.toContain('shelf');
    await expect(client.models.delete('shelf/brief')).rejects.toMatchObject({ status: 404 });
  });

  it('removes a model once, however many ask for it', async () => {
    const removals = await Promise.allSettled(['tiny', 'tiny', 'tiny'].map((id) => client.models.delete(id)));
    expect(removals.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const removal of removals) if (removal.status === 'rejected') expect(removal.reason.status).toBe(404);
    expect(await readdir(folder)).not.toContain('tiny.gguf');
  });

  it('keeps files in another folder, and does not reveal where that is', async () => {
    const error = await client.models.delete('linked/tiny').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining("'linked/tiny' can not be removed") });
    expect(String(error)).not.toContain(root);
    expect(await readdir(join(root, 'elsewhere'))).toContain('tiny.gguf');
  });
});
