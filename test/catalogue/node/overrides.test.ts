import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../../kit/servers/server.ts';

/** The model.json of each model. Otherwise the models are the same. Each runs on one thread, while the flags say 2. */
const MODELS: Record<string, { settings?: object; parameters?: object }> = {
  plain: {},
  loaded: { settings: { ctx_len: 256, n_parallel: 3 } },
  greeted: { settings: { system_prompt: 'Be brief.' } },
  bare: { settings: { prompt_template: '{{ messages[0].content }}' } },
  short: { parameters: { max_tokens: 3 } },
  greedy: { settings: { temperature: 0 }, parameters: { max_tokens: 16 } },
  stopped: { settings: { temperature: 0 }, parameters: { max_tokens: 16, stop: ['e', 'a', 'o', ' '] } },
  streamed: { parameters: { stream: true, max_tokens: 1 } },
};

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-overrides-'));
  for (const [name, { settings, parameters = {} }] of Object.entries(MODELS)) {
    const overrides = { settings: { cpu_threads: 1, ...settings }, parameters };
    await copyFile(join(inject('modelsFolder'), 'tiny.gguf'), join(folder, `${name}.gguf`));
    await writeFile(join(folder, `${name}.model.json`), JSON.stringify(overrides));
  }
  server = await startServer([
    '--models',
    folder,
    '--backend',
    'cpu',
    '--threads',
    '2',
    '--ctx-len',
    '512',
    '--slots',
    '4',
  ]);
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
});

function chat(model: string, more: object = {}): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...more }),
  });
}

/** Returns the first choice and the usage of a reply. */
async function reply(model: string, more?: object) {
  const { choices, usage } = JSON.parse(await (await chat(model, more)).text());
  return { ...choices[0], ...usage, text: choices[0].message.content };
}

async function settingsOf(model: string) {
  await reply(model, { max_tokens: 1 });
  const { settings } = JSON.parse(await (await fetch(`${server.url}/v1/models/${model}`)).text());
  return settings;
}

describe('a field of model.json', () => {
  it('for loading replaces the value of the flags', async () => {
    expect(await settingsOf('plain')).toMatchObject({ ctx_len: 512, n_parallel: 4, cpu_threads: 1 });
    expect(await settingsOf('loaded')).toMatchObject({ ctx_len: 256, n_parallel: 3, cpu_threads: 1 });
  });

  it('for a system prompt counts in conversations without one', async () => {
    const one = { max_tokens: 1 };
    const messages = (content: string) => [
      { role: 'system', content },
      { role: 'user', content: 'hello' },
    ];
    const { prompt_tokens } = await reply('greeted', one);
    expect((await reply('plain', one)).prompt_tokens).toBeLessThan(prompt_tokens);
    expect((await reply('plain', { ...one, messages: messages('Be brief.') })).prompt_tokens).toBe(prompt_tokens);
    const own = { ...one, messages: messages('You talk a lot.') };
    expect((await reply('greeted', own)).prompt_tokens).toBe((await reply('plain', own)).prompt_tokens);
  });

  it('for a template replaces the one in the GGUF', async () => {
    expect((await reply('bare', { max_tokens: 1 })).prompt_tokens).toBe(1);
  });

  it('for the length of replies is the default of requests', async () => {
    expect(await reply('short')).toMatchObject({ completion_tokens: 3, finish_reason: 'length' });
    expect(await reply('short', { max_tokens: 5 })).toMatchObject({ completion_tokens: 5 });
  });

  it('for sampling or stop sequences is the default of requests', async () => {
    const { text } = await reply('greedy');
    expect((await reply('greedy')).text).toBe(text);
    expect((await reply('plain', { temperature: 0, max_tokens: 16 })).text).toBe(text);
    expect(text).toMatch(/[eao ]/);
    expect((await reply('stopped')).text).toBe(text.split(/[eao ]/)[0]);
    expect((await reply('stopped', { stop: [] })).text).toBe(text);
  });

  it('for streaming is the default of requests', async () => {
    const type = async (more?: object) => {
      const response = await chat('streamed', more);
      await response.text();
      return response.headers.get('content-type');
    };
    expect(await type()).toContain('text/event-stream');
    expect(await type({ stream: false })).toContain('application/json');
  });
});
