import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openCli, SERVER_KEY, type TestCli } from '../../kit/cli.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';

vi.setConfig({ testTimeout: 60_000 });

const ID = 'Qwen/Qwen3-4B-GGUF:Q4_K_M';

let cli: TestCli;
let hub: TestHub;
beforeAll(async () => {
  cli = await openCli();
  hub = await startHub();
  const pico = await readFile('models/pico/pico.gguf');
  for (const quant of ['Q4_K_M', 'Q8_0']) hub.put('Qwen/Qwen3-4B-GGUF', `Qwen3-4B-${quant}.gguf`, pico);
});
afterAll(async () => {
  await hub.close();
  await cli.close();
});

/** Runs a command with a models folder of its own, and the hub of this test. */
async function atHome() {
  const models = await mkdtemp(join(cli.home, 'starters-'));
  const env = { HF_ENDPOINT: hub.url, PADDOCK_ALLOW_PRIVATE_SOURCES: '1', PADDOCK_MODELS: models };
  return (...args: string[]) => cli.run(args, { env });
}

describe('paddock pull without a source', () => {
  it('lists the starter models with size, memory, speed and licence, and asks nobody', async () => {
    const run = await atHome();
    const asked = hub.requests.length;
    const { code, stdout, stderr } = await run('pull');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}name +for +download +memory +tokens\/s +licence +good at$/m);
    expect(stdout).toMatch(/qwen3:4b +chat +2\.5 GB +[\d.]+ GB(, too large)? +[\d.]+-[\d.]+ +Apache-2\.0 /);
    expect(stderr).toContain('paddock pull hf:org/repo');
    expect(hub.requests.length).toBe(asked);
    const list = JSON.parse((await run('pull', '--json')).stdout);
    expect(list.map(({ name }: { name: string }) => name)).toContain('qwen3:4b');
  });
});

describe('paddock pull with a name as users of Ollama type it', () => {
  it('pulls the starter model, also in another quantization', async () => {
    const run = await atHome();
    expect(await run('pull', 'qwen3:4b')).toMatchObject({ code: 0, stdout: expect.stringContaining(`Fetched ${ID}`) });
    const other = await run('pull', 'qwen3:4b-q8_0');
    expect(other.stdout).toContain('Fetched Qwen/Qwen3-4B-GGUF:Q8_0');
    expect((await run('list')).stdout).toContain(ID);
  });

  it('names starter models to copy if there is none of this name, and says where files of this machine go', async () => {
    const run = await atHome();
    expect((await run('pull', 'llama3')).stderr).toMatch(/'llama3' is no source.*such a name: llama3\.2:3b\./);
    expect((await run('pull', './x.gguf')).stderr).toMatch(/needs no pull: put it into the models folder/);
  });
});

describe('paddock run', () => {
  it('pulls a starter model that is not here, if that is agreed, and answers', async () => {
    const run = await atHome();
    const refused = await run('run', 'qwen3:4b', 'Hi');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/qwen3:4b is not here yet\. It is hf:.*\(2\.5 GB, Apache-2\.0\)\.\n.*give --yes/);
    const first = await run('run', 'qwen3:4b', 'Hi', '--yes');
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(`Fetched ${ID}`) });
    expect(first.stdout.trim()).not.toBe('');
    const second = await run('chat', 'qwen3:4b', 'Hi');
    expect(second).toMatchObject({ code: 0, stderr: '' });
  });

  it('pulls a repository of the hub with the size that the hub tells', async () => {
    const run = await atHome();
    const { code, stderr } = await run('run', 'hf:Qwen/Qwen3-4B-GGUF:Q8_0', 'Hi', '-y');
    expect(stderr).toMatch(/is not here yet\. It is hf:Qwen\/Qwen3-4B-GGUF:Q8_0 \([\d.]+ MB\)\./);
    expect(code).toBe(0);
  });

  it('says what the hub says if there is no such repository', async () => {
    const run = await atHome();
    const { code, stderr } = await run('run', 'nobody/nothing', 'Hi', '-y');
    expect(code).toBe(1);
    expect(stderr).toMatch(/There is no repository/);
  });

  it('takes an argument with spaces for the message', async () => {
    const run = await atHome();
    const { code, stdout } = await run('chat', 'Who are you?');
    expect(code).toBe(0);
    expect(stdout.trim()).not.toBe('');
  });
});

describe('paddock ps and paddock stop', () => {
  it('list the loaded models of a running server, and unload one', async () => {
    const server = await cli.startServer();
    const at = ['--url', server.url, '--api-key', SERVER_KEY];
    expect(await cli.run(['ps', ...at])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No model'),
    });
    await cli.run(['chat', 'tiny', 'Hi', ...at]);
    const { stdout } = await cli.run(['ps', ...at]);
    expect(stdout).toMatch(/^id +runs on +memory +context +slots +busy +waiting$/m);
    expect(stdout).toMatch(/^tiny +cpu +[\d.]+ MB /m);
    expect((await cli.run(['stop', 'tiny', ...at])).stdout).toBe(`tiny leaves the memory of ${server.url}.\n`);
    expect((await cli.run(['stop', 'tiny', ...at])).stdout).toBe('tiny is not in memory.\n');
    expect(await cli.run(['stop', 'nope', ...at])).toMatchObject({ code: 1 });
  });

  it('say that no server runs', async () => {
    expect((await cli.run(['ps'])).stderr).toMatch(/no Paddock answers at http:\/\/127\.0\.0\.1:1: start one/);
  });
});
