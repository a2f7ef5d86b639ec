import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe('paddock serve', () => {
  it('prints its URL, its models, and how to get more', async () => {
    const child = spawn(process.execPath, ['dist/programs/paddock.js', 'serve', '--port', '0'], {
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

  it('says that the port is in use and how to choose another', async () => {
    const { port } = new URL(server.url);
    const { code, stdout, stderr } = await run(['serve', '--port', port]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^paddock: port ${port} of 127.0.0.1 is in use.*--port.*PADDOCK_PORT`));
  });

  it('says that the host is not an address of this machine', async () => {
    const { code, stderr } = await run(['serve', '--port', '0', '--no-auth', '--host', '192.0.2.1']);
    expect(code).toBe(1);
    expect(stderr).toContain('192.0.2.1 is not an address of this machine');
  });
});

describe('paddock decide', () => {
  const decide = (...args: string[]) => run(['decide', ...args, ...atServer()], { stdin: 'Charged twice.' });

  it('prints the probability of each answer about the standard input', async () => {
    const { code, stdout } = await decide('Is it urgent?', MODEL);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^answer +probability\nyes +[\d.]+ %\nno +[\d.]+ %\n$/);
  });

  it('chooses between answers, and gives the score of levels', async () => {
    const chosen = await decide('Who?', MODEL, '--choices', 'bug, billing', '--state', 'It broke.', '--json');
    const { probabilities } = JSON.parse(chosen.stdout);
    expect(probabilities.map(({ value }: { value: string }) => value)).toEqual(['bug', 'billing']);
    expect((await decide('How angry?', MODEL, '--levels', 'calm,furious')).stdout).toMatch(/\nscore [\d.]+\n$/);
  });

  it('refuses choices beside levels, and an empty state', async () => {
    expect(await decide('?', MODEL, '--choices', 'a,b', '--levels', 'a,b')).toMatchObject({ code: 2 });
    expect(await run(['decide', '?', MODEL, ...atServer()], { stdin: '' })).toMatchObject({ code: 2 });
  });
});

describe('paddock chat without a terminal', () => {
  it('answers the standard input with a server of its own, then ends', async () => {
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
    const env = { PADDOCK_PORT: new URL(server.url).port, PADDOCK_API_KEYS: SERVER_KEY };
    await run(['chat', 'tiny', 'Hello', ...atServer()]);
    expect((await run(['chat', MODEL, 'Hello'], { env })).code).toBe(0);
    const { stderr } = await run(['chat', MODEL, 'Hello'], { env: { ...env, PADDOCK_API_KEYS: 'wrong' } });
    expect(stderr).toContain('--api-key');
  });

  it.each([
    ['none', 'Hello', /there is no model 'none'/],
    ['embed/mini', 'Hello', /embed/],
    [MODEL, 'word '.repeat(1200), /context/],
  ])('explains what is wrong with %s', async (model, message, words) => {
    const { code, stderr } = await run(['chat', model, message, ...atServer()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
  });

  it('refuses to run without a message', async () => {
    expect(await run(['chat', MODEL])).toMatchObject({ code: 2, stdout: '' });
  });

  it('says that no server answers', async () => {
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

  it('measures one stream and several with a server of its own', async () => {
    const { code, stdout } = await bench(['--json']);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ model: MODEL, backend: 'cpu', machine: { node: process.version, server: null } });
    expect(report.measurements.map(({ streams }: { streams: number }) => streams)).toEqual([1, 2]);
    for (const { nextTurn, ...measurement } of report.measurements) {
      // Its prompt goes on, so all of the turn before is still there, but for what the template says otherwise.
      expect(nextTurn.cachedTokens).toBeGreaterThan(48);
      expect(nextTurn.promptTokens).toBeGreaterThan(measurement.promptTokens);
      expect(nextTurn.firstTokenMs).toBeGreaterThan(0);
      expect(measurement.promptTokens).toBeGreaterThan(48);
      expect(measurement.promptTokens).toBeLessThan(80);
      for (const figure of Object.values(measurement)) expect(figure).toBeGreaterThan(0);
    }
  });

  it('prints a table with its conditions, from the running server', async () => {
    const { code, stdout } = await bench(atServer());
    expect(code).toBe(0);
    expect(stdout).toContain(`${MODEL} on cpu`);
    expect(stdout).toMatch(/^at once +prompt +reply +first token.* +next turn +cached$/m);
  });

  it('says why next turns had not more from the cache, where there are fewer slots than streams', async () => {
    const { code, stdout } = await bench(['--streams', '20', ...atServer()]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^20 at once, why next turns had not more from the cache: .*\d$/m);
  });

  it('says that prompt and reply do not fit the context window', async () => {
    const { code, stderr } = await bench(['--prompt-tokens', '2000', ...atServer()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/context/);
  });
});
