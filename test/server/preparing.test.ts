import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A chat template that never ends for a message that says "endless". */
const ENDLESS = `{%- if 'endless' in messages[0]['content'] -%}
{%- for i in range(100000) -%}{%- for j in range(100000) -%}{%- endfor -%}{%- endfor -%}
{%- endif -%}
{{- messages[0]['content'] -}}`;

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-preparing-'));
  await copyFile(join(inject('modelsFolder'), 'tiny.gguf'), join(folder, 'tiny.gguf'));
  await writeFile(join(folder, 'tiny.model.json'), JSON.stringify({ settings: { prompt_template: ENDLESS } }));
  server = await startServer([...FLAGS, '--models', folder], { PADDOCK_API_KEYS: Object.values(KEYS).join() });
  await ask(KEYS.other);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

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
});

describe('endless templates of one key', () => {
  it('end after ten seconds with 400, and what waits for a thread so long is refused with 503', async () => {
    const endless = { messages: [{ role: 'user', content: 'endless' }] };
    const refused = await Promise.all(Array.from({ length: 6 }, () => ask(KEYS.hostile, endless)));
    const reasons = new Set(refused.map(({ status, text }) => `${status} ${JSON.parse(text).error.code}`));
    expect(reasons).toEqual(new Set(['400 preparation_too_expensive', '503 overloaded']));
    expect(await ask(KEYS.hostile)).toMatchObject({ status: 200 });
  });
});
