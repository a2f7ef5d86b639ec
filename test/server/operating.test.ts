import { afterEach, describe, expect, inject, it } from 'vitest';
import { enginePids } from '../kit/servers/engines.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { until } from '../kit/until.ts';

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function serve(...flags: string[]): Promise<RunningServer> {
  server = await startServer(['--backend', 'cpu', '--threads', '1', '--models', inject('modelsFolder'), ...flags]);
  return server;
}

const post = (path: string, body: object) =>
  fetch(`${server?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const chat = (model: string, more: object = {}) =>
  post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 2, ...more });
const json = async (path: string) => (await fetch(`${server?.url}${path}`)).json() as Promise<Record<string, unknown>>;
const loadedIds = async () => ((await json('/health')).models as { id: string }[]).map(({ id }) => id);

/** The value of a series, by its whole name. */
async function metric(series: string): Promise<number | undefined> {
  const text = await (await fetch(`${server?.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

async function untilReady(): Promise<Response[]> {
  const answers: Response[] = [];
  await until(async () => {
    const answer = await fetch(`${server?.url}/ready`);
    answers.push(answer);
    return answer.ok;
  });
  return answers;
}

describe('models that are loaded at the start', () => {
  it('are there before the server calls itself ready', async () => {
    await serve('--preload', 'tiny', '--preload', 'shelf/brief');
    const answers = await untilReady();
    const [first] = answers;
    expect([first?.status, first?.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await first?.json()).toMatchObject({ error: { code: 'preloading', type: 'server_error' } });
    expect((await loadedIds()).toSorted()).toEqual(['shelf/brief', 'tiny']);
  });

  it('stay when others need room and when nobody asks for them', async () => {
    await serve('--preload', 'tiny', '--max-loaded-models', '2', '--idle-timeout', '1');
    await untilReady();
    expect((await chat('shelf/brief')).status).toBe(200);
    expect((await chat('pico')).status).toBe(200);
    expect((await loadedIds()).toSorted()).toEqual(['pico', 'tiny']);
    await until(async () => (await loadedIds()).length === 1);
    expect(await loadedIds()).toEqual(['tiny']);
  });

  it('that leave no room make requests for others a clear error, not a wait', async () => {
    await serve('--preload', 'tiny', '--max-loaded-models', '1');
    await untilReady();
    const refused = await chat('pico');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { code: 'insufficient_memory', message: expect.stringContaining('--preload, leave no room for it') },
    });
  });

  it('may be named by an alias', async () => {
    await serve('--alias', 'my-model=tiny', '--preload', 'my-model');
    await untilReady();
    expect(await loadedIds()).toEqual(['tiny']);
  });

  it('have to exist', async () => {
    await expect(serve('--preload', 'qwen3:0.6b')).rejects.toThrow(
      /code 2:\n.*--preload names the starter model qwen3:0.6b, which is not here yet: paddock pull qwen3:0.6b/s,
    );
    await expect(serve('--preload', 'no-such')).rejects.toThrow(/code 2:\n.*--preload names the model no-such/s);
  });
});

describe('keep_alive', () => {
  it('takes the place of --idle-timeout, and /api/ps tells until when', async () => {
    await serve('--idle-timeout', '3600');
    expect((await chat('tiny', { keep_alive: '10m' })).status).toBe(200);
    const { models } = (await json('/api/ps')) as { models: { name: string; expires_at: string }[] };
    const minutes = (Date.parse(models[0]?.expires_at ?? '') - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9);
    expect(minutes).toBeLessThanOrEqual(10);
    expect((await chat('tiny', { keep_alive: 0.2 })).status).toBe(200);
    await until(async () => (await loadedIds()).length === 0);
  });
});

describe('the metrics', () => {
  it('tell of engines that die, and of requests that others take up', async () => {
    const running = await serve();
    await chat('tiny');
    const reply = chat('tiny', { max_tokens: 400 });
    // The slot is taken first, and then filled.
    await until(async () => (await metric('paddock_kv_cache_usage_ratio{model="tiny"}')) !== 0);
    expect(await metric('paddock_requests_running{model="tiny"}')).toBe(1);
    for (const pid of enginePids(running.pid)) process.kill(pid, 'SIGKILL');
    expect((await reply).status).toBe(200);
    expect(await metric('paddock_engine_deaths_total{model="tiny"}')).toBe(1);
    expect(await metric('paddock_takeovers_total{model="tiny"}')).toBe(1);
    expect(await metric('paddock_kv_cache_usage_ratio{model="tiny"}')).toBe(0);
    expect(await metric('paddock_requests_running{model="tiny"}')).toBe(0);
  });
});

describe('the log', () => {
  it('has the prompts where --log-prompts is given', async () => {
    const running = await serve('--log-prompts', '--log-format', 'pretty');
    await chat('tiny', { messages: [{ role: 'user', content: 'my-prompt' }] });
    expect(running.log()).toMatch(/\d\d:\d\d:\d\d info {2}prompt .*my-prompt/);
    expect(running.log()).toMatch(
      /info {2}request requestId=\S+ model=tiny method=POST route=\/v1\/chat\/completions status=200 /,
    );
  });
});
