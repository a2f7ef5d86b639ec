import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, type TestCli } from '../../kit/cli.ts';
import { sample } from '../../support/repeats.ts';

const COMMANDS = ['serve', 'pull', 'list', 'show', 'remove', 'chat', 'run', 'bench', 'doctor'];
const MODEL = 'shelf/brief';

let cli: TestCli;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);

describe('every command', () => {
  it.each(sample(COMMANDS, 3))('%s prints its help', async (command) => {
    const { code, stdout } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: paddock ${command}`);
    expect(stdout).toContain('--models <dir>');
    expect(stdout).toMatch(/PADDOCK_MODELS;\s+default:\s+~\/.paddock\/models/);
  });

  it.each(sample(COMMANDS, 3))('%s refuses an unknown flag and names --help', async (command) => {
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
    ['nonsense'],
    [],
  ])('%s %s %s ... is wrong usage: exit code 2 and nothing on standard output', async (...args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it.each<[args: string[], message: RegExp]>([
    [['serve', '--keys', '/nowhere.json'], /the file of --keys can't be read: ENOENT/],
    [['serve', '--keys', 'package.json'], /package\.json, the file of keys, is wrong at /],
    [['serve', '--keys', 'README.md'], /README\.md, the file of keys, is not valid JSON/],
    [['serve', '--api-key-file', 'test'], /the file of --api-key-file can't be read: EISDIR/],
    [
      ['serve', '--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.pem'],
      /the file of --tls-cert can't be read: ENOENT/,
    ],
    [['serve', '--tls-cert', 'README.md', '--tls-key', 'README.md'], /README\.md, .* holds no certificate/],
    [['serve', '--preload', 'nope'], /--preload names the model nope, which does not exist/],
    [['serve', '--port', '0', '--models', 'README.md'], /README\.md, the models folder, can't be read: ENOTDIR/],
    [['list', '--models', 'README.md'], /README\.md, the models folder, can't be read: ENOTDIR/],
    [['pull', 'hf:a/b', '--models', 'README.md'], /README\.md, the models folder, can't be read: ENOTDIR/],
    [['show', 'a', '--config', 'test'], /test can't be read: EISDIR/],
    [['key', 'list', '--keys', 'package.json'], /package\.json, the file of keys, is wrong at /],
    [['-m', 'model.gguf'], /put the \.gguf file into ~\/\.paddock\/models, or name its folder/],
    [['connect', 'nobody'], /nobody is not known; there are codex/],
  ])('%j is answered with one line', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^paddock: .+\n$/);
    expect(stderr).toMatch(message);
  });

  it.each<[args: string[], message: RegExp]>([
    [['key', 'add', 'bob', '--keys', 'README.md/keys.json'], /README\.md\/keys\.json can't be written: /],
    [['serve', '--socket', '/nowhere/paddock.sock'], /\/nowhere, the folder of --socket, is not there/],
    [['chat', 'nope', 'hi'], /there is no model 'nope'/],
    [['bench', 'nope'], /there is no model 'nope'/],
    [['connect', 'codex'], /no Paddock answers at http:\/\/127\.0\.0\.1:1: start one/],
    [['pull', 'nonsense', '--json'], /'nonsense' is no source of a model/],
  ])('%j fails with one line', async (args, message) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^paddock: .+\n$/);
    expect(stderr).toMatch(message);
  });

  it('lists its exit codes in the help', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('0 done, 1 failed, 2 wrong usage');
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it.each([
    ['list', ['list']],
    ['show', ['show', MODEL]],
    ['error', ['show', 'none']],
  ])('has no colours without a terminal: %s', async (_, args) => {
    const { stdout, stderr } = await run(args, { env: { CI: '1' } });
    expect(stdout + stderr).not.toContain('\u001b');
  });
});
