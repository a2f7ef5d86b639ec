import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../kit/browser/browser.ts';
import { importModel, openPaddock, startPaddockSite } from '../kit/browser/paddock-page.ts';
import { startPageRelay } from '../kit/browser/page-relay.ts';
import { chatTemplate } from '../kit/models/chat-template.ts';
import { writeScriptedModel } from '../kit/models/scripted-model.ts';
import { startServer } from '../kit/servers/server.ts';
import { postJson, readStream } from './target.ts';

// The limit of reasoning on all grounds, with models whose replies are known to the token.

const THOUGHTS = 'Two and two are asked for. Counting on my fingers: one, two, and then three, four.';
const ANSWER = 'The sum of both is 4.';
const BEGINS_INSIDE = `${chatTemplate}
{%- if add_generation_prompt %}{{- '<think>' + ('' if enable_thinking else '</think>') }}{%- endif %}`;

const folder = mkdtempSync(join(tmpdir(), 'paddock-thinking-'));
const controls = ['<think>', '</think>'];
/** The template opens the block of reasoning. */
const inside = writeScriptedModel(join(folder, 'inside.gguf'), {
  template: BEGINS_INSIDE,
  reply: `${THOUGHTS}</think>${ANSWER}`,
  controls,
});
/** The model opens the block itself. */
writeScriptedModel(join(folder, 'opens.gguf'), {
  template: `${chatTemplate}{# <think> </think> #}{%- if thoughts %}{{- '<think>' + reasoning_content + '</think>' }}{%- endif %}`,
  reply: `<think>${THOUGHTS}</think>${ANSWER}`,
  controls,
});
/** The marks are text of several tokens. */
writeScriptedModel(join(folder, 'spelled.gguf'), { template: BEGINS_INSIDE, reply: `${THOUGHTS}</think>${ANSWER}` });

/** The first tokens of the thoughts. */
const first = (count: number) => inside.slice(0, count).join('');

interface Ground {
  url: string;
  close(): Promise<void>;
}

const GROUNDS: Record<string, () => Promise<Ground>> = {
  native: () => serve('cpu'),
  WebAssembly: () => serve('wasm'),
  'the browser': async () => {
    const site = await startPaddockSite({ models: folder, options: { reload: false } });
    const browser = await launchBrowser();
    const page = await openPaddock(browser, site);
    for (const name of ['inside', 'opens', 'spelled']) await importModel(page, `${name}.gguf`);
    const relay = await startPageRelay(page);
    return {
      url: relay.url,
      async close() {
        for (const part of [relay, browser, site]) await part[Symbol.asyncDispose]();
      },
    };
  },
};

async function serve(backend: string): Promise<Ground> {
  const { url, stop } = await startServer(['--models', folder, '--backend', backend, '--threads', '1']);
  return {
    url,
    async close() {
      await stop();
    },
  };
}

afterAll(() => rm(folder, { recursive: true }));

describe.each(Object.entries(GROUNDS))('a block of reasoning on %s', (_, start) => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await start();
  }, 120_000);
  afterAll(() => ground?.close());

  const post = (path: string, body: object) => postJson({ url: ground.url, apiKey: '' }, path, body);
  const bodyOf = (more: object) => ({ model: 'inside', messages: [{ role: 'user', content: '2 + 2?' }], ...more });
  const reply = async (more: object) => {
    const { status, body } = await post('/v1/chat/completions', bodyOf(more));
    expect(status, JSON.stringify(body)).toBe(200);
    const [{ message, finish_reason }] = body.choices;
    return { reasoning: message.reasoning_content, content: message.content, finish_reason, usage: body.usage };
  };
  const whole = { reasoning: THOUGHTS, content: ANSWER, finish_reason: 'stop' };

  it('is written to its end without a limit, and with one that is larger', async () => {
    expect(await reply({})).toMatchObject(whole);
    expect(await reply({ thinking_budget: -1 })).toMatchObject(whole);
    expect(await reply({ thinking_budget: inside.length })).toMatchObject(whole);
  });

  it.each([
    { thinking_budget: 5 },
    { thinking: { type: 'enabled', budget_tokens: 5 } },
    { reasoning: { max_tokens: 5 } },
    { thinking_budget: 5, temperature: 1, seed: 3, top_logprobs: 2, logprobs: true },
  ])('ends with its closing mark after as many tokens as it may have: %j', async (limit) => {
    const { usage, ...found } = await reply(limit);
    expect(found).toEqual({ ...whole, reasoning: first(5) });
    const answer = inside.slice(inside.indexOf('</think>'));
    expect(usage.completion_tokens).toBeGreaterThanOrEqual(5 + answer.length);
  });

  it('is the same in a stream', async () => {
    const response = await fetch(`${ground.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf({ thinking_budget: 7, stream: true })),
    });
    const deltas = (await readStream(response)).flatMap((event) => event.choices?.[0]?.delta ?? []);
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe(first(7));
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(ANSWER);
  });

  it('is not begun with a limit of 0', async () => {
    const { reasoning = '' } = await reply({ thinking_budget: 0 });
    expect(reasoning).toBe('');
  });

  it('counts from the opening mark where the model writes it', async () => {
    expect(await reply({ model: 'opens' })).toMatchObject(whole);
    expect(await reply({ model: 'opens', thinking_budget: 6 })).toMatchObject({ ...whole, reasoning: first(6) });
  });

  it('has a limit in several choices', async () => {
    const { body } = await post('/v1/chat/completions', bodyOf({ n: 2, thinking_budget: 4, temperature: 1 }));
    for (const { message } of body.choices)
      expect(message).toMatchObject({ reasoning_content: first(4), content: ANSWER });
  });

  it('ends where the closing mark has several tokens', async () => {
    const { reasoning, content } = await reply({ model: 'spelled', thinking_budget: 5, max_tokens: 40 });
    expect(reasoning).toBe(first(5));
    expect(content).not.toContain('think>');
    expect(await reply({ model: 'spelled', thinking_budget: 1000 })).toMatchObject(whole);
  });

  it.each([{ enable_thinking: false }, { reasoning_effort: 'none' }, { think: false }])(
    'is closed at once where the template has no switch: %j',
    async (off) => {
      const { reasoning = '', content } = await reply({ model: 'opens', ...off });
      expect({ reasoning, content }).toEqual({ reasoning: '', content: ANSWER });
    },
  );

  it('comes before a reply that must have a form, if the request asks for it', async () => {
    const form = { guided_choice: [ANSWER, 'The other one.', 'None.'] };
    expect(await reply({ ...form, reasoning_effort: 'high' })).toMatchObject(whole);
    expect(await reply({ ...form, thinking_budget: 5 })).toMatchObject({ ...whole, reasoning: first(5) });
    expect(await reply({ ...form, model: 'opens', enable_thinking: true })).toMatchObject(whole);
    const { reasoning = '', content } = await reply(form);
    expect(reasoning).toBe('');
    expect(form.guided_choice).toContain(content);
  });

  it('is a part of the content if the request asks for that', async () => {
    const { reasoning, content } = await reply({ reasoning_format: 'none' });
    expect({ reasoning, content }).toEqual({ content: `<think>\n${THOUGHTS}\n</think>\n\n${ANSWER}` });
    expect(await reply({ reasoning_format: 'auto' })).toMatchObject(whole);
    const { status, body } = await post('/v1/chat/completions', bodyOf({ reasoning_format: 'deepseek-legacy' }));
    expect({ status, ...body.error }).toMatchObject({ status: 400, param: 'reasoning_format' });
  });

  it('ends by the budget_tokens of the API of Anthropic', async () => {
    const { status, body } = await post('/v1/messages', {
      ...bodyOf({ max_tokens: 200 }),
      thinking: { type: 'enabled', budget_tokens: 5 },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.content).toMatchObject([
      { type: 'thinking', thinking: first(5) },
      { type: 'text', text: ANSWER },
    ]);
  });

  it('ends by max_tokens if that is less', async () => {
    expect(await reply({ thinking_budget: 5, max_tokens: 3 })).toMatchObject({
      reasoning: first(3),
      finish_reason: 'length',
    });
  });

  it.each(['thinking_budget', 'reasoning_budget_tokens'])('has no limit that is not a number: %s', async (field) => {
    const { status, body } = await post('/v1/chat/completions', bodyOf({ [field]: 'few' }));
    expect({ status, ...body.error }).toMatchObject({ status: 400, param: field });
  });
});
