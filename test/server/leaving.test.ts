import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { enginePids } from '../kit/servers/engines.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const SHUTTING_DOWN = { error: { code: 'shutting_down', type: 'server_error', param: null } };

let server: RunningServer | undefined;
afterEach(async () => {
  for (const pid of server ? enginePids(server.pid) : []) process.kill(pid, 'SIGCONT');
  await server?.stop();
  server = undefined;
});

async function serve(times: { lameDuck: number; grace: number }): Promise<RunningServer> {
  const flags = ['--backend', 'cpu', '--threads', '1', '--models', inject('modelsFolder')];
  server = await startServer([
    ...flags,
    '--lame-duck',
    String(times.lameDuck),
    '--shutdown-grace',
    String(times.grace),
  ]);
  return server;
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${server?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const chat = (more: object = {}) =>
  post('/v1/chat/completions', {
    model: 'tiny',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 300,
    temperature: 0,
    ...more,
  });

/** Stops the engine in the middle of native code, as far as the server can tell. */
function freezeEngine({ pid }: RunningServer): { thaw: () => void } {
  const engines = enginePids(pid);
  expect(engines).toHaveLength(1);
  for (const engine of engines) process.kill(engine, 'SIGSTOP');
  return {
    thaw: () => {
      for (const engine of engines) process.kill(engine, 'SIGCONT');
    },
  };
}

/** A stream whose first piece has come, and that waits for a frozen engine. */
async function beginStream(running: RunningServer) {
  await (await chat({ max_tokens: 1 })).text();
  const response = await chat({ max_tokens: 400, stream: true });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader?.read())?.value ?? '';
  const engine = freezeEngine(running);
  const rest = async () => {
    let text = first;
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
    return text;
  };
  return { ...engine, rest };
}

/** The data of the last event of a stream. */
const lastEvent = (stream: string) => /data: (.*)\n\n$/.exec(stream)?.[1] ?? '';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** How long a process takes to end, in ms. */
async function timeToEnd(pid: number): Promise<number> {
  const begun = performance.now();
  while (isAlive(pid) && performance.now() - begun < 10_000) await sleep(50);
  return performance.now() - begun;
}

describe('a server after SIGTERM', () => {
  it('lets a stream finish, and then ends with code 0', async () => {
    const running = await serve({ lameDuck: 0, grace: 20 });
    const whole = (await (await chat({ max_tokens: 400 })).json()) as { choices: { message: { content: string } }[] };
    const stream = await beginStream(running);
    const exited = running.stop();
    await sleep(300);
    stream.thaw();
    const text = await stream.rest();
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    const said = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data).choices[0]?.delta);
    expect(said.map((delta) => delta?.content ?? '').join('')).toBe(whole.choices[0]?.message.content);
    expect(await exited).toBe(0);
  });

  it('ends what does not finish in time with an error event or a 503, and itself with code 0, though the engine hangs', async () => {
    const running = await serve({ lameDuck: 0, grace: 1 });
    const stream = await beginStream(running);
    const engines = enginePids(running.pid);
    const reply = chat();
    const tokens = post('/v1/tokenize', { model: 'tiny', content: 'hi' });
    await sleep(200);
    const begun = performance.now();
    const exited = running.stop();
    const text = await stream.rest();
    expect(JSON.parse(lastEvent(text))).toMatchObject(SHUTTING_DOWN);
    expect(text).not.toContain('[DONE]');
    for (const response of [await reply, await tokens]) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject(SHUTTING_DOWN);
    }
    expect(await exited).toBe(0);
    const seconds = (performance.now() - begun) / 1000;
    expect(seconds).toBeGreaterThan(0.9);
    expect(seconds).toBeLessThan(1 + 3 + 1);
    expect(engines.filter(isAlive)).toEqual([]);
  });

  it('says in /ready that it leaves and refuses work while it still answers, and then accepts no connection', async () => {
    const running = await serve({ lameDuck: 1, grace: 10 });
    const ready = async () => fetch(`${running.url}/ready`, { headers: { connection: 'close' } });
    const before = await ready();
    expect([before.status, await before.json()]).toEqual([200, { status: 'ready' }]);
    const begun = performance.now();
    const exited = running.stop();
    await sleep(300);
    for (const response of [
      await ready(),
      await chat(),
      await post('/v1/models/pull', { model: 'hf:a/b' }),
      await fetch(`${running.url}/v1/models/tiny`, { method: 'DELETE' }),
    ]) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject(SHUTTING_DOWN);
    }
    expect(await (await fetch(`${running.url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await exited).toBe(0);
    const ms = performance.now() - begun;
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThan(10_000);
    await expect(ready()).rejects.toThrow('fetch failed');
  });

  it('ends at once at a second signal', async () => {
    const running = await serve({ lameDuck: 0, grace: 60 });
    const stream = await beginStream(running);
    const engines = enginePids(running.pid);
    const exited = running.stop();
    await sleep(700);
    const begun = performance.now();
    process.kill(running.pid, 'SIGTERM');
    expect(await exited).toBe(1);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await stream.rest().catch(() => {});
    for (const engine of engines) expect(await timeToEnd(engine)).toBeLessThan(10_000);
  });
});

describe('a server after SIGINT', () => {
  it('leaves without a lame-duck time, and takes the echo of npm for the same signal', async () => {
    const running = await serve({ lameDuck: 30, grace: 30 });
    const stream = await beginStream(running);
    process.kill(running.pid, 'SIGINT');
    await sleep(50);
    process.kill(running.pid, 'SIGINT');
    await sleep(200);
    expect(isAlive(running.pid)).toBe(true);
    stream.thaw();
    expect(await stream.rest()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await timeToEnd(running.pid)).toBeLessThan(10_000);
    server = undefined;
  });
});

describe('npm start', () => {
  const flags = ['--port', '0', '--lame-duck', '0', '--backend', 'cpu', '--log-level', 'warn'];

  /** Starts it and waits for the ready line. `pid` is that of the server, two processes below. */
  async function npmStart(): Promise<{ npm: ChildProcess; pid: number }> {
    const npm = spawn('npm', ['start', '--', ...flags], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    let out = '';
    for await (const text of npm.stdout) {
      out += text;
      if (out.includes('Paddock is ready')) break;
    }
    const found = execFileSync('pgrep', ['-g', String(npm.pid), '-f', '^node dist/programs/paddock.js'], {
      encoding: 'utf8',
    });
    return { npm, pid: Number(found) };
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no server behind when npm gets %s', async (signal) => {
    const { npm, pid } = await npmStart();
    const ended = once(npm, 'exit');
    npm.kill(signal);
    await ended;
    expect(await timeToEnd(pid)).toBeLessThan(10_000);
  });

  it('leaves in good order at a Ctrl-C, which reaches npm, its shell and the server', async () => {
    const { npm, pid } = await npmStart();
    const ended = once(npm, 'exit');
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    expect(await timeToEnd(pid)).toBeLessThan(10_000);
    await ended;
  });
});
