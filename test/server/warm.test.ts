import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { listCopies, removeCopies } from '../../src/pool/copies/listing.ts';
import { eventually } from '../kit/eventually.ts';
import { killEngines } from '../kit/servers/engines.ts';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

let home: string;
const homes: string[] = [];
let server: RunningServer;
const folder = () => join(home, 'cache', 'prompts');

afterEach(() => server.stop());
afterAll(() => Promise.all(homes.map((each) => rm(each, { recursive: true }))));

/** Has the servers from now on begin without any copy. */
async function moveHome(): Promise<void> {
  home = await mkdtemp(join(tmpdir(), 'paddock-home-'));
  homes.push(home);
}

async function start(...args: string[]): Promise<void> {
  const common = ['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1', '--slots', '2'];
  server = await startServer([...common, '--ctx-len', '2048', '--log-level', 'debug', ...args], {
    PADDOCK_HOME: home,
    PADDOCK_NO_CACHE: '',
  });
}

interface Completion {
  choices: [{ message: { content: string } }];
  usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
}

async function say(content: string, model = 'tiny') {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 8, temperature: 0 }),
  });
  const { choices, usage } = (await response.json()) as Completion;
  const evaluated = usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens;
  return { text: choices[0].message.content, tokens: usage.prompt_tokens, evaluated };
}

const copied = (count: number) => eventually(async () => expect(await listCopies(folder())).toHaveLength(count));

describe('a conversation stays warm', { timeout: 120_000 }, () => {
  const prompt = `Ada says: ${'be kind, be brief, be true. '.repeat(16)}`;

  it('when its engine is killed, when another model takes its place, and when the server is restarted or killed', async () => {
    // Also at a second try.
    await moveHome();
    await start('--max-loaded-models', '1');
    const cold = await say(prompt);
    expect(cold.evaluated).toBe(cold.tokens);
    await copied(1);
    killEngines(server.pid);
    expect(await say(prompt)).toEqual({ ...cold, evaluated: 1 });

    await say('hello', 'shelf/brief');
    expect(await say(prompt)).toEqual({ ...cold, evaluated: 1 });

    await server.stop();
    expect((await listCopies(folder())).map(({ tier, model }) => [tier, model])).toContainEqual(['disk', 'tiny']);
    await start();
    expect(await say(prompt)).toEqual({ ...cold, evaluated: 1 });

    process.kill(server.pid, 'SIGKILL');
    await eventually(() => expect(() => process.kill(server.pid, 0)).toThrow());
    await start();
    expect(await say(prompt)).toEqual({ ...cold, evaluated: 1 });
  });

  it('not where that is switched off', async () => {
    await start('--no-cache');
    const { tokens, evaluated } = await say(prompt);
    expect(evaluated).toBe(tokens);
  });

  it('not when the copies have been deleted, while the server runs or before', async () => {
    await start();
    await removeCopies(await listCopies(folder()));
    const { tokens, evaluated } = await say(prompt);
    expect(evaluated).toBe(tokens);
    await copied(1);
    await removeCopies(await listCopies(folder()));
    killEngines(server.pid);
    expect((await say(prompt)).evaluated).toBe(tokens);
  });

  it('and paddock cache tells of what is kept, and deletes it', async () => {
    await start();
    await say(prompt);
    await copied(1);
    const cache = (...args: string[]) =>
      execFileSync(process.execPath, ['dist/programs/paddock.js', 'cache', ...args], {
        env: { ...process.env, PADDOCK_HOME: home },
        encoding: 'utf8',
      });
    expect(cache()).toMatch(/^tiny +(ram|disk) +\d+ /m);
    expect(cache('--model', 'another', '--json')).toBe('[]\n');
    expect(JSON.parse(cache('--json'))).toMatchObject([{ model: 'tiny', tokens: expect.any(Number) }]);
    expect(cache('--clear')).toMatch(/^Deleted 1 kept prompt, /);
    expect(await listCopies(folder())).toEqual([]);
  });

  it('for one of two servers with the same home', async () => {
    await start();
    const first = server;
    await start();
    expect(server.log()).toContain('another server');
    await server.stop();
    server = first;
    expect((await say(prompt)).tokens).toBeGreaterThan(0);
  });
});
