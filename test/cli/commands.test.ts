import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { smallGguf } from '../catalogue/pull/fixtures.ts';
import { type CliRun, runCli } from '../support/cli.ts';
import { startHub, type TestHub } from '../support/hub.ts';
import { type RunningServer, startServer } from '../support/server.ts';

const COMMANDS = ['serve', 'pull', 'list', 'show', 'remove', 'chat', 'bench', 'doctor'];
const MODEL = 'shelf/brief';

/** A port that nobody listens on, so that no server of this machine gets into the tests. */
const NOBODY = '1';

let home: string;
let server: RunningServer;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-cli-'));
  await cp(inject('modelsFolder'), join(home, 'models'), { recursive: true });
  server = await startServer(['--backend', 'cpu', '--threads', '1'], {
    PADDOCK_HOME: home,
    PADDOCK_API_KEYS: 'secret',
    PADDOCK_LOG_LEVEL: 'silent',
  });
});
afterAll(async () => {
  await server.stop();
  await rm(home, { recursive: true });
});

const run = (
  args: string[],
  { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
): Promise<CliRun> =>
  runCli(
    args,
    { PADDOCK_HOME: home, PADDOCK_PORT: NOBODY, PADDOCK_THREADS: '1', PADDOCK_BACKEND: 'cpu', ...env },
    stdin,
  );
const atServer = () => ['--url', server.url, '--api-key', 'secret'];

describe('every command', () => {
  it.each(COMMANDS)('%s helps', async (command) => {
    const { code, stdout } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: paddock ${command}`);
    expect(stdout).toContain('--models <dir>');
    expect(stdout).toMatch(/PADDOCK_MODELS;\s+default:\s+~\/.paddock\/models/);
  });

  it.each(COMMANDS)('%s refuses a flag that it does not know, and says where help is', async (command) => {
    const { code, stdout, stderr } = await run([command, '--bogus']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("error: unknown option '--bogus'\nTry it with --help.\n");
  });

  it.each([
    ['serve', '--port', 'x'],
    ['pull', 'hf:a/b', '--models', ''],
    ['list', '--url', 'nonsense'],
    ['show', 'a', '--config', '/nowhere.json'],
    ['remove', 'a', '--models', ''],
    ['chat', MODEL, 'hi', '--ctx-len', '1'],
    ['chat', MODEL, 'hi', '--url', 'http://x', '--backend', 'cpu'],
    ['bench', '--streams', '0'],
    ['doctor', '--backend', 'tpu'],
    ['pull'],
    ['nonsense'],
    [],
  ])('%s %s %s ... is wrong usage: exit code 2 and nothing on standard output', async (...args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it('says with which exit codes it ends', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('0 done, 1 failed, 2 wrong usage');
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it.each([
    ['list', ['list']],
    ['show', ['show', MODEL]],
    ['error', ['show', 'none']],
  ])('has no colours where there is no terminal: %s', async (_, args) => {
    const { stdout, stderr } = await run(args, { env: { CI: '1' } });
    expect(stdout + stderr).not.toContain('\u001b');
  });
});

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

  it("lists a server's models and what they run on", async () => {
    expect((await run(['chat', MODEL, 'hi', ...atServer()])).code).toBe(0);
    const { code, stdout } = await run(['list', ...atServer()]);
    expect(code).toBe(0);
    expect(stdout.split('\n').find((line) => line.startsWith(MODEL))).toMatch(/ cpu$/);
  });

  it('says how to give a key where one is wanted', async () => {
    const { code, stderr } = await run(['list', '--url', server.url]);
    expect(code).toBe(1);
    expect(stderr).toContain('Give one with --api-key.');
  });

  it('tells of a file that is no model, and lists the others', async () => {
    const folder = join(home, 'broken');
    await mkdir(folder);
    await writeFile(join(folder, 'broken.gguf'), 'this is no GGUF');
    const { code, stderr } = await run(['list', '--models', folder]);
    expect(code).toBe(0);
    expect(stderr).toContain('broken.gguf');
  });
});

describe('paddock show', () => {
  it('tells the facts and the files of a model', async () => {
    const { code, stdout } = await run(['show', MODEL]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +shelf\/brief$/m);
    expect(stdout).toMatch(/^context +1024 tokens, 1024 in training$/m);
    expect(stdout).toMatch(/^memory +about \d+ MB on the CPU \(.*\) with 4 x 1024 tokens$/m);
    expect(stdout).toContain(join(home, 'models/shelf/brief.gguf'));
  });

  it('prints the Model object with the files', async () => {
    const model = JSON.parse((await run(['show', MODEL, '--json'])).stdout);
    expect(model).toMatchObject({ id: MODEL, object: 'model', sources: [{ filename: 'brief.gguf' }] });
    expect(model.files).toEqual([{ path: join(home, 'models/shelf/brief.gguf'), size: model.meta.size }]);
    expect(model.memory).toMatchObject({ slots: 4, context_length: 1024, total: expect.any(Number) });
  });

  it('names the models that there are when there is no such', async () => {
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

  it('asks nobody where nobody is: it wants --yes', async () => {
    const folder = await withModels();
    const { code, stderr } = await run(['remove', MODEL, '--models', folder], { stdin: 'yes\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(await readdir(join(folder, 'shelf'))).toEqual(['brief.gguf']);
  });

  it('removes the files, the folder that they leave empty, and says how much that frees', async () => {
    const folder = await withModels();
    const { code, stdout } = await run(['remove', MODEL, '--yes', '--models', folder]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Removed shelf/brief: 1 file, 2.8 MB freed.\n' });
    expect(await readdir(folder)).not.toContain('shelf');
  });

  it('prints what was removed as JSON', async () => {
    const folder = await withModels();
    const { stdout } = await run(['remove', 'tiny', '--yes', '--json', '--models', folder]);
    expect(JSON.parse(stdout)).toEqual({ id: 'tiny', files: [join(folder, 'tiny.gguf')], bytes: expect.any(Number) });
  });
});

describe('paddock pull', () => {
  let hub: TestHub;
  let models: string;
  beforeAll(async () => {
    hub = await startHub();
    hub.put('org/demo', 'demo-Q8_0.gguf', smallGguf(1));
    models = await mkdtemp(join(home, 'pull-'));
  });
  afterAll(() => hub.close());
  const pull = (args: string[]) => run(['pull', '--models', models, ...args], { env: { HF_ENDPOINT: hub.url } });

  it('fetches a model, in words and as JSON lines', async () => {
    const first = await pull(['hf:org/demo:Q8_0']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Asking.*\n(\d+% .*\n)+Verifying demo-Q8_0.gguf\nFetched org\/demo:Q8_0\n$/);
    const again = await pull(['hf:org/demo:Q8_0', '--json']);
    const events = again.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toEqual({ status: 'done', model: 'org/demo:Q8_0', alreadyHere: true });
    expect((await run(['list', '--models', models])).stdout).toContain('org/demo:Q8_0');
  });

  it('says in words why it failed', async () => {
    const { code, stderr } = await pull(['hf:org/none']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^paddock: There is no repository .*org\/none/);
  });

  it('is stopped by Ctrl-C, and the next one goes on from there', async () => {
    hub.put('org/slow', 'slow.gguf', smallGguf(2));
    hub.fail('content', 'slow.gguf', { kind: 'slow', pieces: 200, pauseMs: 20 }, 1);
    const child = spawn(
      process.execPath,
      ['dist/src/cli/main.js', 'pull', 'hf:org/slow', '--json', '--models', models],
      { env: { ...process.env, PADDOCK_HOME: home, HF_ENDPOINT: hub.url } },
    );
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    for await (const line of child.stdout) if (/"completed":[1-9]/.test(String(line))) break;
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'paddock: stopped; the same pull goes on from here next time\n',
    });
    expect((await pull(['hf:org/slow'])).code).toBe(0);
    expect(hub.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });
});

describe('paddock chat without a terminal', () => {
  it('answers the standard input and ends, on a server of its own', async () => {
    const { code, stdout, stderr } = await run(['chat', MODEL], { stdin: 'Hello\n' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.length).toBeGreaterThan(1);
  });

  it('answers a message on the running server', async () => {
    const { code, stdout } = await run(['chat', MODEL, 'Hello', '--system', 'Be brief.', ...atServer()]);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
  });

  it("finds this machine's server at its port, and takes the key from the configuration", async () => {
    const env = { PADDOCK_PORT: new URL(server.url).port, PADDOCK_API_KEYS: 'secret', PADDOCK_BACKEND: '' };
    await run(['chat', 'tiny', 'Hello', ...atServer()]);
    expect((await run(['chat', MODEL, 'Hello'], { env })).code).toBe(0);
    const { stderr } = await run(['chat', MODEL, 'Hello'], { env: { ...env, PADDOCK_API_KEYS: 'wrong' } });
    expect(stderr).toContain('--api-key');
  });

  it.each([
    ['none', 'Hello', /there is no model 'none'/],
    ['embed/mini', 'Hello', /embed/],
    [MODEL, 'word '.repeat(1200), /context/],
  ])('says what is wrong with %s', async (model, message, words) => {
    const { code, stderr } = await run(['chat', model, message, ...atServer()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
  });

  it('wants something to answer', async () => {
    expect(await run(['chat', MODEL])).toMatchObject({ code: 2, stdout: '' });
  });

  it('says that no server is there', async () => {
    const { code, stderr } = await run(['chat', MODEL, 'Hello', '--url', 'http://127.0.0.1:2']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'paddock: no server answers at http://127.0.0.1:2: the connection was refused\n',
    });
  });
});

describe('paddock bench', () => {
  const bench = (args: string[]) =>
    run(['bench', MODEL, '--rounds', '1', '--tokens', '4', '--prompt-tokens', '64', '--streams', '2', ...args]);

  it('measures one stream and several, on a server of its own', async () => {
    const { code, stdout } = await bench(['--json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ model: MODEL, backend: 'cpu', machine: { node: process.version, server: null } });
    expect(report.measurements.map(({ streams }: { streams: number }) => streams)).toEqual([1, 2]);
    for (const measurement of report.measurements) {
      expect(measurement.promptTokens).toBeGreaterThan(48);
      expect(measurement.promptTokens).toBeLessThan(80);
      for (const figure of Object.values(measurement)) expect(figure).toBeGreaterThan(0);
    }
  });

  it('prints a table that says what was measured, on the running server', async () => {
    const { code, stdout } = await bench(atServer());
    expect(code).toBe(0);
    expect(stdout).toContain(`${MODEL} on cpu`);
    expect(stdout).toMatch(/^at once +prompt +reply +first token/m);
  });

  it('says that prompt and reply do not fit the context window', async () => {
    const { code, stderr } = await bench(['--prompt-tokens', '2000', ...atServer()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/context/);
  });
});

describe('paddock doctor', () => {
  const doctor = async (args: string[] = [], env: Record<string, string> = {}) => {
    const { code, stdout } = await run(['doctor', '--json', ...args], { env: { PADDOCK_PORT: '0', ...env } });
    const { ok, findings } = JSON.parse(stdout) as {
      ok: boolean;
      findings: { id: string; status: string; detail: string }[];
    };
    return { code, ok, find: (id: string) => findings.find((finding) => finding.id === id) };
  };

  it('finds that the server can serve here, and on what', async () => {
    const { code, ok, find } = await doctor();
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    for (const id of ['node', 'http', 'cpu', 'wasm', 'backend', 'config']) expect(find(id)?.status).toBe('ok');
    expect(find('backend')?.detail).toContain('--backend cpu is set');
    expect(find('models')?.detail).toContain(join(home, 'models'));
  });

  it('says why auto passes a backend over', async () => {
    const { find } = await doctor(['--backend', 'auto']);
    const gpu = find('gpu');
    const passedOver = gpu?.status === 'ok' ? 'gpu (auto takes' : `gpu passed over: ${gpu?.detail}`;
    expect(find('backend')?.detail).toContain(passedOver);
  });

  it('fails when the configuration is wrong, and looks at the rest all the same', async () => {
    const { code, ok, find } = await doctor([], { PADDOCK_SLOTS: '0' });
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(find('config')).toMatchObject({ status: 'fail', detail: expect.stringContaining('PADDOCK_SLOTS must be') });
    expect(find('cpu')?.status).toBe('ok');
  });

  it('prints it for people', async () => {
    const { stdout } = await run(['doctor'], { env: { PADDOCK_PORT: '0' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^✓ Node +\d+\.\d+\.\d+$/m);
    expect(stdout).toContain('Paddock can serve here.');
  });
});

describe('paddock serve', () => {
  it('greets with its URL, its models, and how to get more', async () => {
    const child = spawn(process.execPath, ['dist/src/cli/main.js', 'serve', '--port', '0'], {
      env: { ...process.env, PADDOCK_HOME: home, PADDOCK_LOG_LEVEL: 'silent' },
    });
    let stdout = '';
    for await (const text of child.stdout) {
      stdout += text;
      if (stdout.split('\n').length > 4) break;
    }
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(stdout).toMatch(/^Paddock is ready on http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).toContain('embed/mini, rerank/mini, shelf/brief, tiny');
    expect(stdout).toContain(`put *.gguf files into ${join(home, 'models')}, or: paddock pull`);
  });

  it('says that the port is taken and how to choose another', async () => {
    const { port } = new URL(server.url);
    const { code, stdout, stderr } = await run(['serve', '--port', port]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^paddock: port ${port} of 127.0.0.1 is in use.*--port.*PADDOCK_PORT`));
  });

  it('says that a host is not of this machine', async () => {
    const { code, stderr } = await run(['serve', '--port', '0', '--no-auth', '--host', '192.0.2.1']);
    expect(code).toBe(1);
    expect(stderr).toContain('192.0.2.1 is not an address of this machine');
  });
});
