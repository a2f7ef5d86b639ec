import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallGguf } from '../../catalogue/pull/node/fixtures.ts';
import { openCli, type TestCli } from '../../kit/cli.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';

let cli: TestCli;
let home: string;
beforeAll(async () => {
  cli = await openCli();
  ({ home } = cli);
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);

describe('paddock pull', () => {
  let hub: TestHub;
  let models: string;
  beforeAll(async () => {
    hub = await startHub();
    hub.put('org/demo', 'demo-Q8_0.gguf', smallGguf(1));
    models = await mkdtemp(join(home, 'pull-'));
  });
  afterAll(() => hub.close());
  const pull = (args: string[]) =>
    run(['pull', '--models', models, '--allow-private-sources', ...args], { env: { HF_ENDPOINT: hub.url } });

  it('fetches a model and reports it in words or as JSON lines', async () => {
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

  it('is stopped by Ctrl-C, and the next pull continues from there', async () => {
    hub.put('org/slow', 'slow.gguf', smallGguf(2));
    hub.fail('content', 'slow.gguf', { kind: 'slow', pieces: 200, pauseMs: 20 }, 1);
    const child = spawn(
      process.execPath,
      ['dist/programs/paddock.js', 'pull', 'hf:org/slow', '--json', '--models', models],
      { env: { ...process.env, PADDOCK_HOME: home, HF_ENDPOINT: hub.url, PADDOCK_ALLOW_PRIVATE_SOURCES: '1' } },
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
