import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openCli, type TestCli } from '../../kit/cli.ts';

vi.setConfig({ testTimeout: 30_000 });

const execute = promisify(execFile);
let cli: TestCli;
let folder: string;

beforeAll(async () => {
  cli = await openCli();
  folder = await mkdtemp(join(tmpdir(), 'paddock-completion-'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${resolve('dist/programs/paddock.js')}' "$@"\n`;
  await writeFile(join(folder, 'paddock'), command, { mode: 0o755 });
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

/** Presses the tab key at the end of this line, in bash with our script. Returns what bash offers. */
async function inBash(line: string): Promise<string[]> {
  const { stdout: script } = await cli.run(['completion', 'bash']);
  const test = `${script}\nCOMP_LINE='${line}' COMP_POINT=${line.length}; _paddock; printf '%s\\n' "\${COMPREPLY[@]}"`;
  await writeFile(join(folder, 'test.sh'), test);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, PADDOCK_HOME: cli.home };
  const { stdout } = await execute('bash', [join(folder, 'test.sh')], { env });
  return stdout.trim().split('\n');
}

describe('paddock completion', () => {
  it('completes commands, models of this machine and names with colons in bash', async () => {
    expect(await inBash('paddock dete')).toEqual(['']);
    expect(await inBash('paddock doc')).toEqual(['doctor']);
    expect(await inBash('paddock show shelf/')).toEqual(['shelf/brief']);
    expect(await inBash('paddock run qwen3:4')).toEqual(['4b']);
  });

  it('prints a script for each shell, and refuses others', async () => {
    expect((await cli.run(['completion', 'zsh'])).stdout).toMatch(/^#compdef paddock\n/);
    expect((await cli.run(['completion', 'fish'])).stdout).toContain('complete -c paddock');
    expect(await cli.run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
