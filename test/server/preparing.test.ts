import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const KEYS = { hostile: 'sk-hostile', other: 'sk-other' };
const FLAGS = ['--backend', 'wasm', '--threads', '1', '--slots', '2'];

/** Takes a second or more to compile. */
const PATTERN = Array.from({ length: 3000 }, (_, index) => `a${index}b*`).join('|');
const COSTLY = Array.from({ length: 40 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool${index}`,
    parameters: { type: 'object', properties: { text: { type: 'string', pattern: PATTERN } } },
  },
}));

let server: RunningServer;
beforeAll(async () => {
  server = await startServer([...FLAGS, '--models', inject('modelsFolder')], {
    PADDOCK_API_KEYS: Object.values(KEYS).join(),
  });
  await ask(KEYS.other);
});
afterAll(() => server.stop());

async function ask(key: string, more: object = {}, signal?: AbortSignal): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }], max_tokens: 8, ...more }),
    ...(signal && { signal }),
  });
  return { status: response.status, text: await response.text() };
}

describe('costly schemas of one key', () => {
  it('take neither the slots nor the time of the plain requests of another key', async () => {
    const leave = new AbortController();
    const ended: number[] = [];
    const crowd = Array.from({ length: 6 }, () =>
      ask(KEYS.hostile, { tools: COSTLY, tool_choice: 'required' }, leave.signal).then(
        ({ status }) => ended.push(status),
        () => {},
      ),
    );
    for (let round = 0; round < 4; round++) {
      const { status, text } = await ask(KEYS.other);
      expect(status, text).toBe(200);
    }
    expect(ended, 'the costly requests must still run').toEqual([]);
    leave.abort();
    await Promise.all(crowd);
  });

  it('wait for a thread no longer than ten seconds, and are then refused with 503', async () => {
    const refused = await Promise.all(
      Array.from({ length: 6 }, () => ask(KEYS.hostile, { tools: COSTLY, tool_choice: 'required' })),
    );
    const reasons = refused.map(({ text }) => JSON.parse(text).error.code);
    expect(reasons).toContain('overloaded');
    expect(await ask(KEYS.hostile)).toMatchObject({ status: 200 });
  });
});
