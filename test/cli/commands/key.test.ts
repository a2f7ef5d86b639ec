import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, type TestCli } from '../../kit/cli.ts';
import { type RunningServer, startServer } from '../../kit/servers/server.ts';

/** A server looks at the file of keys once a second. */
const LOOK_MS = 1100;

let cli: TestCli;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);
const keysFile = () => join(cli.home, 'keys.json');
const addKey = async (...args: string[]) => JSON.parse((await run(['key', 'add', ...args, '--json'])).stdout);

describe('paddock key', () => {
  it('makes keys, shows each once, and lists them with what they may do', async () => {
    const { code, stdout, stderr } = await run([
      'key',
      'add',
      'alice',
      '--model',
      'tiny',
      '--requests-per-minute',
      '60',
    ]);
    expect([code, stdout.trim()]).toEqual([0, expect.stringMatching(/^pdk-[\w-]{43}$/)]);
    expect(stderr).toContain('It can not be shown again.');
    expect(readFileSync(keysFile(), 'utf8')).not.toContain(stdout.trim());
    const added = await addKey(
      'boss',
      '--manage',
      '--priority',
      '2',
      '--concurrency',
      '3',
      '--tokens-per-minute',
      '900',
    );
    expect(added).toMatchObject({
      key: expect.any(String),
      manages: true,
      priority: 2,
      concurrency: 3,
      tokensPerMinute: 900,
    });
    const lines = (await run(['key', 'list'])).stdout.split('\n');
    expect(lines[0]).toMatch(/^name +models +may manage +requests\/min +tokens\/min +at once +priority +made$/);
    expect(lines[1]).toMatch(/^alice +tiny +no +60 +- +- +0 +\d{4}-\d\d-\d\d$/);
    expect(lines[2]).toMatch(/^boss +all +yes +- +900 +3 +2 /);
    const listed = (await run(['key', 'list', '--json'])).stdout;
    expect(JSON.parse(listed)).toMatchObject([{ name: 'alice', models: ['tiny'] }, { name: 'boss' }]);
    expect(listed).not.toContain('sha256');
  });

  it.each<[string, string[], RegExp]>([
    ['a name that is taken', ['add', 'alice'], /there is a key named alice already/],
    ['a name with a space', ['add', 'a b'], /the name must be 1 to 64 letters/],
    [
      'a name of the keys of --api-key',
      ['add', 'key-1'],
      /the name must not be key- and a number: so the keys of --api-key are named/,
    ],
    ['a limit of nothing', ['add', 'carol', '--concurrency', '0'], /--concurrency must be an integer between 1 and/],
    ['a name that there is not', ['remove', 'nobody'], /there is no key named nobody/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await run(['key', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  describe('with a server that runs', () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startServer(['--log-format', 'json'], {
        PADDOCK_HOME: cli.home,
        PADDOCK_THREADS: '1',
        PADDOCK_BACKEND: 'cpu',
      });
    });
    afterAll(() => server.stop());

    const ask = (key: string, path: string, body?: object) =>
      fetch(server.url + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    const chat = { model: 'tiny', messages: [{ role: 'user', content: 'the-prompt' }], max_tokens: 2 };

    it('adds and removes keys without a restart', async () => {
      expect((await ask('', '/v1/models')).status).toBe(401);
      const { key } = await addKey('dave');
      await sleep(LOOK_MS);
      expect((await ask(key, '/v1/models')).status).toBe(200);
      await run(['key', 'remove', 'dave']);
      await sleep(LOOK_MS);
      expect((await ask(key, '/v1/models')).status).toBe(401);
    });

    it('keeps a key within what it may, and names it in log and metrics', async () => {
      const { key } = await addKey('erin', '--model', 'tiny', '--requests-per-minute', '2');
      const { key: manager } = await addKey('operator', '--manage');
      await sleep(LOOK_MS);
      const first = await ask(key, '/v1/chat/completions', chat);
      expect([first.status, first.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, '1']);
      expect((await ask(key, '/v1/chat/completions', { ...chat, model: 'pico' })).status).toBe(404);
      const third = await ask(key, '/v1/chat/completions', chat);
      expect([third.status, third.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^([12]?\d|30)$/)]);
      expect((await ask(key, '/metrics')).status).toBe(403);
      const metrics = await (await ask(manager, '/metrics')).text();
      expect(metrics).toContain('model="tiny",key="erin",status="200"} 1');
      expect(metrics).toMatch(/^paddock_generated_tokens_total\{model="tiny",key="erin"\} 2$/m);
      const lines = server
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const line = lines.find(({ msg, key, status }) => msg === 'request' && key === 'erin' && status === 200);
      expect(line).toMatchObject({
        route: '/v1/chat/completions',
        model: 'tiny',
        completionTokens: 2,
        finish: 'length',
      });
      expect(line.ttftMs).toBeGreaterThan(0);
      expect(server.log()).not.toContain(key);
      expect(server.log()).not.toContain('the-prompt');
    });
  });
});
