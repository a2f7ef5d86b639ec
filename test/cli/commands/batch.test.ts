import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCli, SERVER_KEY, type TestCli } from '../../kit/cli.ts';
import type { RunningServer } from '../../kit/servers/server.ts';
import { until } from '../../kit/until.ts';

let cli: TestCli;
let server: RunningServer;
beforeAll(async () => {
  cli = await openCli();
  server = await cli.startServer();
});
afterAll(() => cli.close());

const atServer = () => ['--url', server.url, '--api-key', SERVER_KEY];
const line = (id: string, tokens: number, model = 'tiny') =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/completions',
    body: { model, prompt: id, max_tokens: tokens },
  });

async function fileWith(name: string, ...lines: string[]): Promise<string> {
  const path = join(cli.home, name);
  await writeFile(path, lines.join('\n'));
  return path;
}

const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each).custom_id);

async function ask(path: string): Promise<{ data: { id: string }[] }> {
  const reply = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${SERVER_KEY}` } });
  return (await reply.json()) as { data: { id: string }[] };
}

describe('paddock batch run', () => {
  it('writes the results and errors in the order of the requests, and leaves no file on the server', async () => {
    const path = await fileWith('asked.jsonl', line('b', 60), line('wrong', 1, 'nobody'), line('a', 1));
    const { code, stdout, stderr } = await cli.run(['batch', 'run', path, ...atServer()]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`3 requests, 1 of them with an error: ${join(cli.home, 'asked.out.jsonl')}\n`);
    expect(idsIn(join(cli.home, 'asked.out.jsonl'))).toEqual(['b', 'wrong', 'a']);
    expect(existsSync(join(cli.home, 'asked.batch.json'))).toBe(false);
    expect((await ask('/v1/files')).data).toEqual([]);
  });

  it('goes on with its batch after it was killed', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => line(`q${index}`, 200));
    const path = await fileWith('long.jsonl', ...lines);
    const before = (await ask('/v1/batches')).data.length;
    const child = spawn(process.execPath, ['dist/programs/paddock.js', 'batch', 'run', path, ...atServer()]);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await until(() => existsSync(join(cli.home, 'long.batch.json')));
    child.kill('SIGKILL');
    await exited;
    const { code, stderr } = await cli.run(['batch', 'run', path, ...atServer()]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The batch batch_\w+ of an earlier run goes on\.\n$/);
    expect(idsIn(join(cli.home, 'long.out.jsonl'))).toHaveLength(12);
    expect((await ask('/v1/batches')).data).toHaveLength(before + 1);
  });

  it('says which lines are wrong, and that a file is missing or has no requests', async () => {
    const wrong = await fileWith('wrong.jsonl', line('a', 1), line('a', 1));
    const failed = await cli.run(['batch', 'run', wrong, ...atServer()]);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("line 2: custom_id 'a'") });
    expect((await ask('/v1/files')).data).toEqual([]);
    const none = await cli.run(['batch', 'run', join(cli.home, 'none.jsonl'), ...atServer()]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('can not be read') });
    const prose = await cli.run(['batch', 'run', await fileWith('prose.jsonl', 'Hello'), ...atServer()]);
    expect(prose).toMatchObject({ code: 2, stderr: expect.stringContaining('is no file of requests') });
  });

  it('needs a running server', async () => {
    const { code, stderr } = await cli.run(['batch', 'run', await fileWith('one.jsonl', line('a', 1))]);
    expect(code).toBe(1);
    expect(stderr).toContain('start one with paddock serve');
  });
});
