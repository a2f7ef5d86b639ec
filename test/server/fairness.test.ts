import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { until } from '../kit/until.ts';

const CROWD = 100;
const KEYS = { crowd: 'sk-crowd', single: 'sk-single' };

let server: RunningServer;
beforeAll(async () => {
  const flags = ['--backend', 'cpu', '--threads', '1', '--slots', '2', '--log-format', 'json'];
  const env = { PADDOCK_API_KEYS: Object.values(KEYS).join() };
  server = await startServer([...flags, '--models', inject('modelsFolder')], env);
  await ask(KEYS.crowd);
});
afterAll(() => server.stop());

async function ask(key: string): Promise<void> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }], max_tokens: 60 }),
  });
  await response.text();
  expect(response.status).toBe(200);
}

async function waiting(): Promise<number> {
  const response = await fetch(`${server.url}/health`, { headers: { 'x-api-key': KEYS.crowd } });
  const { models } = (await response.json()) as { models: { waiting: number }[] };
  return models[0]?.waiting ?? 0;
}

/** The keys of the requests in the order in which they ended, as the access log has them. */
function endedKeys(): string[] {
  const lines = server
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.filter((line) => line.msg === 'request').map((line) => line.key);
}

describe('the slots of a model', () => {
  it('are shared fairly: a hundred requests of one key do not keep one of another key waiting', async () => {
    const crowd = Array.from({ length: CROWD }, () => ask(KEYS.crowd));
    await until(async () => (await waiting()) >= CROWD / 2);
    await ask(KEYS.single);
    await Promise.all(crowd);
    // A line is written a moment after its reply.
    await expect.poll(() => endedKeys().length).toBe(CROWD + 2);
    const keys = endedKeys();
    // In the order of arrival it would be the last.
    const place = keys.indexOf('key-2');
    expect(place).toBeGreaterThan(0);
    expect(keys.length - place, `the requests ended in this order: ${keys.join(' ')}`).toBeGreaterThan(CROWD / 4);
  });
});
