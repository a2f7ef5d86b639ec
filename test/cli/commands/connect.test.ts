import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, SERVER_KEY, type TestCli } from '../../kit/cli.ts';
import type { RunningServer } from '../../kit/servers/server.ts';

let cli: TestCli;
let server: RunningServer;
/** The home of the user whose programs are connected. */
let user: string;
beforeAll(async () => {
  cli = await openCli();
  server = await cli.startServer();
  user = await mkdtemp(join(tmpdir(), 'paddock-user-'));
});
afterAll(async () => {
  await cli.close();
  await rm(user, { recursive: true });
});

const connect = (...args: string[]) =>
  cli.run(['connect', ...args, '--url', server.url, '--api-key', SERVER_KEY], { env: { HOME: user } });

describe('paddock connect', () => {
  it('prints what a program needs, and what will go wrong with this model', async () => {
    const { code, stdout, stderr } = await connect('codex', 'shelf/brief');
    expect(code).toBe(0);
    expect(stdout).toContain(`base_url = "${server.url}/v1"`);
    expect(stdout).toContain('model = "shelf/brief"');
    expect(stdout).toContain(`PADDOCK_API_KEY='${SERVER_KEY}'`);
    expect(stderr).toMatch(/window of shelf\/brief is 1024 tokens, and agents need 32768/);
  });

  it('writes a settings file that only its owner reads, and keeps what it had', async () => {
    const path = join(user, '.claude/settings.json');
    await mkdir(join(user, '.claude'));
    await writeFile(path, '{"theme": "dark"}');
    const { code, stdout } = await connect('claude-code', 'shelf/brief', '--write', '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Written: ${path}\n` });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      theme: 'dark',
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_AUTH_TOKEN: SERVER_KEY, ANTHROPIC_MODEL: 'shelf/brief' },
    });
    expect((await connect('claude-code', 'shelf/brief', '--write')).stdout).toContain('already');
  });

  it('makes new files readable by their owner alone', async () => {
    await connect('opencode', 'shelf/brief', '--write', '--yes');
    const { mode } = await stat(join(user, '.config/opencode/opencode.json'));
    expect(mode & 0o077).toBe(0);
  });

  it('does not write without a yes, and nothing over a file that it can not merge', async () => {
    const asked = await connect('continue', '--write');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    await mkdir(join(user, '.codex'));
    await writeFile(join(user, '.codex/config.toml'), 'model = "other"\n');
    const refused = await connect('codex', '--write', '--yes');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('add this to it') });
    expect(await readFile(join(user, '.codex/config.toml'), 'utf8')).toBe('model = "other"\n');
  });

  it('names the programs that it knows, and says when no server runs', async () => {
    expect(await connect('emacs')).toMatchObject({ code: 2, stderr: expect.stringContaining('codex, claude-code') });
    const alone = await cli.run(['connect', 'codex']);
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('paddock serve') });
  });
});
