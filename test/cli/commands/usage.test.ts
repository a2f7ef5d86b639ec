import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, type TestCli } from '../../support/cli.ts';

const COMMANDS = ['serve', 'pull', 'list', 'show', 'remove', 'chat', 'bench', 'tune', 'doctor'];
const MODEL = 'shelf/brief';

let cli: TestCli;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

const run: TestCli['run'] = (...args) => cli.run(...args);

describe('every command', () => {
  it.each(COMMANDS)('%s prints its help', async (command) => {
    const { code, stdout } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: paddock ${command}`);
    expect(stdout).toContain('--models <dir>');
    expect(stdout).toMatch(/PADDOCK_MODELS;\s+default:\s+~\/.paddock\/models/);
  });

  it.each(COMMANDS)('%s refuses an unknown flag and names --help', async (command) => {
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
    ['tune', MODEL, '--rounds', '0'],
    ['tune'],
    ['doctor', '--backend', 'tpu'],
    ['pull'],
    ['nonsense'],
    [],
  ])('%s %s %s ... is wrong usage: exit code 2 and nothing on standard output', async (...args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
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
