import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openCli, SERVER_KEY, type TestCli } from '../../kit/cli.ts';
import type { RunningServer } from '../../kit/servers/server.ts';

const MODEL = 'shelf/brief';

let cli: TestCli;
let home: string;
let server: RunningServer;
beforeAll(async () => {
  cli = await openCli();
  ({ home } = cli);
  server = await cli.startServer();
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);
const atServer = () => ['--url', server.url, '--api-key', SERVER_KEY];

describe('paddock list', () => {
  it('lists the models of this machine as a table', async () => {
    const { code, stdout } = await run(['list']);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^id +kind +quantization +parameters +context +size$/);
    expect(lines.find((line) => line.startsWith(MODEL))).toMatch(/ chat +F32 +692K +1024 +2\.8 MB$/);
    expect(lines.find((line) => line.startsWith('embed/mini'))).toContain(' embedding ');
    expect(lines.find((line) => line.startsWith('rerank/mini'))).toContain(' rerank ');
  });

  it('prints the Model objects', async () => {
    const models = JSON.parse((await run(['list', '--json'])).stdout);
    expect(models.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(['embed/mini', MODEL, 'tiny']));
    expect(models[0]).toMatchObject({ object: 'model', meta: { n_ctx_train: 512 }, loaded: false });
  });

  it("lists a server's models and their backends", async () => {
    expect((await run(['chat', MODEL, 'hi', ...atServer()])).code).toBe(0);
    const { code, stdout } = await run(['list', ...atServer()]);
    expect(code).toBe(0);
    expect(stdout.split('\n').find((line) => line.startsWith(MODEL))).toMatch(/ cpu$/);
  });

  it('says how to give a key if the server wants one', async () => {
    const { code, stderr } = await run(['list', '--url', server.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('Give one with --api-key.');
  });

  it('warns about a file that is not a model, and lists the others', async () => {
    const folder = join(home, 'broken');
    await mkdir(folder);
    await writeFile(join(folder, 'broken.gguf'), 'this is no GGUF');
    const { code, stderr } = await run(['list', '--models', folder]);
    expect(code).toBe(0);
    expect(stderr).toContain('broken.gguf');
  });
});

describe('paddock show', () => {
  it('prints the facts and the files of a model', async () => {
    const { code, stdout } = await run(['show', MODEL]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +shelf\/brief$/m);
    expect(stdout).toMatch(/^context +1024 tokens, 1024 in training$/m);
    expect(stdout).toMatch(/^memory +about [\d.]+ MB on the CPU \(.*\) with 16 slots of up to 1024 tokens$/m);
    expect(stdout).toContain(join(home, 'models/shelf/brief.gguf'));
  });

  it('prints the Model object with the files', async () => {
    const model = JSON.parse((await run(['show', MODEL, '--json'])).stdout);
    expect(model).toMatchObject({ id: MODEL, object: 'model', sources: [{ filename: 'brief.gguf' }] });
    expect(model.files).toEqual([{ path: join(home, 'models/shelf/brief.gguf'), size: model.meta.size }]);
    expect(model.memory).toMatchObject({ slots: 16, context_length: 1024, total: expect.any(Number) });
  });

  it('lists the models if the named one does not exist', async () => {
    const { code, stderr } = await run(['show', 'none']);
    expect(code).toBe(1);
    expect(stderr).toContain("there is no model 'none'; there are embed/mini,");
  });
});

describe('paddock remove', () => {
  const withModels = async () => {
    const folder = await mkdtemp(join(home, 'remove-'));
    await cp(inject('modelsFolder'), folder, { recursive: true });
    return folder;
  };

  it('asks nobody without a terminal, and demands --yes', async () => {
    const folder = await withModels();
    const { code, stderr } = await run(['remove', MODEL, '--models', folder], { stdin: 'yes\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(await readdir(join(folder, 'shelf'))).toEqual(['brief.gguf']);
  });

  it('removes the files and the folder that is then empty, and says how much that frees', async () => {
    const folder = await withModels();
    const { code, stdout } = await run(['remove', MODEL, '--yes', '--models', folder]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Removed shelf/brief: 1 file, 2.8 MB freed.\n' });
    expect(await readdir(folder)).not.toContain('shelf');
  });

  it('prints the removed files as JSON', async () => {
    const folder = await withModels();
    const { stdout } = await run(['remove', 'tiny', '--yes', '--json', '--models', folder]);
    expect(JSON.parse(stdout)).toEqual({ id: 'tiny', files: [join(folder, 'tiny.gguf')], bytes: expect.any(Number) });
  });
});
