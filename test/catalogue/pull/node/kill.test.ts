import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyModel } from '../../../kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../../../kit/servers/server.ts';
import { startHub, type TestHub } from '../../../kit/servers/test-hub.ts';

/** The test starts two servers, on a machine that may be busy. */
const TIME_LIMIT_MS = 120_000;

const SOON = { timeout: 20_000 };

const FILE = 'tiny-Q8_0.gguf';
const model = makeTinyModel();
const HALF = Math.floor(model.length / 2);

let home: string;
let hub: TestHub;
let server: RunningServer | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-kill-'));
  hub = await startHub();
  hub.put('org/repo', FILE, model);
});
afterEach(async () => {
  await server?.stop();
  await hub.close();
  await rm(home, { recursive: true });
});

async function serve(): Promise<RunningServer> {
  server = await startServer(['--threads', '1', '--backend', 'cpu'], {
    PADDOCK_HOME: home,
    PADDOCK_LOG_LEVEL: 'warn',
    HF_ENDPOINT: hub.url,
    PADDOCK_ALLOW_PRIVATE_SOURCES: '1',
  });
  return server;
}

function requestPull({ url }: RunningServer, more: object = {}): Promise<Response> {
  return fetch(`${url}/v1/models/pull`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'hf:org/repo', ...more }),
  });
}

async function listIds({ url }: RunningServer): Promise<string[]> {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

/** Pulls until half of the file is on disk. There the hub falls silent. */
async function pullHalf(running: RunningServer): Promise<Response> {
  hub.fail('content', FILE, { kind: 'silence', at: 0.5 }, 1);
  const response = await requestPull(running);
  const part = join(home, 'downloads', 'org%2Frepo%3AQ8_0', 'model', `${FILE}.part`);
  const size = () =>
    stat(part).then(
      (stats) => stats.size,
      () => 0,
    );
  await expect.poll(size, SOON).toBe(HALF);
  hub.requests.length = 0;
  return response;
}

function contentRanges(): (string | undefined)[] {
  return hub.requests.filter(({ stage }) => stage === 'content').map(({ range }) => range);
}

describe('a server that pulls', { timeout: TIME_LIMIT_MS }, () => {
  it('continues after it was killed, and serves the model as soon as it is complete', async () => {
    const first = await serve();
    const response = await pullHalf(first);
    process.kill(first.pid, 'SIGKILL');
    await expect(response.text()).rejects.toThrow();

    const second = await serve();
    expect(await listIds(second)).not.toContain('org/repo:Q8_0');
    const pulled = await requestPull(second, { stream: false });
    expect(pulled.status).toBe(200);
    expect(await pulled.json()).toMatchObject({ id: 'org/repo:Q8_0', object: 'model', sources: [{ filename: FILE }] });
    expect(contentRanges()).toEqual([`bytes=${HALF}-`]);
    expect((await readFile(join(home, 'models', 'org', 'repo', 'Q8_0', FILE))).equals(model)).toBe(true);
    expect(await listIds(second)).toContain('org/repo:Q8_0');
    expect(await readdir(join(home, 'downloads'))).toEqual([]);
  });

  it('stops when its client leaves, and keeps the bytes that it has', async () => {
    const running = await serve();
    const response = await pullHalf(running);
    await response.body?.cancel();
    const lock = join(home, 'downloads', 'org%2Frepo%3AQ8_0.lock');
    await expect
      .poll(() =>
        stat(lock).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    const text = await (await requestPull(running)).text();
    expect(text).toMatch(/"status":"done","already_here":false.*\n\ndata: \[DONE\]\n\n$/);
    expect(contentRanges()).toEqual([`bytes=${HALF}-`]);
  });
});
