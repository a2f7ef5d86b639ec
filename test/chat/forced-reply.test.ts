import { describe, expect, it } from 'vitest';
import type { ReplyDelta } from '../../src/chat/formats/format.ts';
import { formatOf } from '../../src/chat/formats/index.ts';
import { createPreparer, type PreparedRequest } from '../../src/chat/prepare.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import type { ChatPrompt } from '../../src/contract/prompt.ts';
import { ask, chat } from '../kit/generation.ts';
import { HERMES_LIKE, matcherOf, NOW, NOW_CALL, traits } from './fixtures.ts';

/** A template of a model that reasons, by the switch `enable_thinking`. It leaves the opening mark to the model. */
const THINKING = `${HERMES_LIKE}{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}`;
const HARMONY = `<|start|>user<|message|>{{ messages[0].content }}<|end|><|start|>assistant{# <|channel|>analysis<|message|> #}`;
const MUSE = '<|start|>user<|message|>{{ messages[0].content }}<|eot|><|start|>assistant{# <atem:invoke to=self #}';
const JSON_REPLY = { replyFormat: { kind: 'json' as const } };
const ASKED = { templateKwargs: { enable_thinking: true } };

function prepareWith(template: string, prompt: Partial<ChatPrompt>, more: Partial<GenerationRequest> = {}) {
  const asked = chat([{ role: 'user', content: 'Hello' }], { toolChoice: 'auto', ...prompt });
  return createPreparer(traits(template))(ask('', { prompt: asked, ...more }));
}

/** Reads a reply in pieces of two characters. */
function read({ format, parser: options }: PreparedRequest, reply: string): ReplyDelta[] {
  const parser = format && options && formatOf(format).createParser(options);
  if (!parser) return [{ kind: 'content', text: reply }];
  return join([...(reply.match(/[\s\S]{1,2}/g) ?? []).flatMap((piece) => parser.push(piece)), ...parser.finish()]);
}

function join(deltas: ReplyDelta[]): ReplyDelta[] {
  const joined: ReplyDelta[] = [];
  for (const delta of deltas) {
    const last = joined.at(-1);
    if (delta.kind !== 'toolCall' && last?.kind === delta.kind) last.text += delta.text;
    else joined.push({ ...delta });
  }
  return joined;
}

const NOW_DELTAS = [
  { kind: 'toolCall', index: 0, name: 'now' },
  { kind: 'toolArguments', index: 0, text: '{}' },
];

describe('a reply with a grammar, of a model that reasons', () => {
  it('has no reasoning until the request asks for it', () => {
    const prepared = prepareWith(THINKING, {}, JSON_REPLY);
    expect(prepared.prompt).toMatch(/assistant: <think>\n\n<\/think>\n\n$/);
    expect(['{}', 'Hm.</think>{}'].filter(matcherOf(prepared.grammar))).toEqual(['{}']);
  });

  it.each<[string, Partial<ChatPrompt>, Partial<GenerationRequest>]>([
    ['by the switch', ASKED, {}],
    ['by a limit', {}, { thinkingBudget: 50 }],
  ])('has reasoning first if the request asks for it %s, and then nothing but its form', (_, prompt, more) => {
    const prepared = prepareWith(THINKING, prompt, { ...JSON_REPLY, ...more });
    expect(prepared.prompt).toMatch(/assistant: <think>\n$/);
    const texts = ['Hm.</think>{}', 'A < b, </thin k>.\n</think>\n\n{"a": 1}', '{}', 'Hm.</think>x', 'Hm.'];
    expect(texts.filter(matcherOf(prepared.grammar))).toEqual(texts.slice(0, 2));
    expect(read(prepared, texts[1] ?? '')).toEqual([
      { kind: 'reasoning', text: 'A < b, </thin k>.' },
      { kind: 'content', text: '{"a": 1}' },
    ]);
  });

  it('has reasoning before a forced call, too', () => {
    const prepared = prepareWith(THINKING, { tools: [NOW], toolChoice: 'required', ...ASKED });
    const reply = `Hm.\n</think>\n\n${NOW_CALL}`;
    expect([reply, NOW_CALL].filter(matcherOf(prepared.grammar))).toEqual([reply]);
    expect(read(prepared, reply)).toEqual([{ kind: 'reasoning', text: 'Hm.' }, ...NOW_DELTAS]);
  });

  it('has reasoning before JSON or a call', () => {
    const prepared = prepareWith(THINKING, { tools: [NOW], ...ASKED }, JSON_REPLY);
    const replies = [`Hm.</think>${NOW_CALL}`, 'Hm.</think>{}'];
    expect(replies.filter(matcherOf(prepared.grammar))).toEqual(replies);
    expect(replies.map((reply) => read(prepared, reply))).toEqual([
      [{ kind: 'reasoning', text: 'Hm.' }, ...NOW_DELTAS],
      [
        { kind: 'reasoning', text: 'Hm.' },
        { kind: 'content', text: '{}' },
      ],
    ]);
  });

  it('is reasoning alone if it is cut off there, also within its closing mark', () => {
    const prepared = prepareWith(THINKING, ASKED, JSON_REPLY);
    expect(read(prepared, 'Hm. So')).toEqual([{ kind: 'reasoning', text: 'Hm. So' }]);
    expect(read(prepared, 'Hm.</think>\n')).toEqual([{ kind: 'reasoning', text: 'Hm.' }]);
  });

  it('has a limit of its reasoning', () => {
    const { thinking } = prepareWith(THINKING, ASKED, { ...JSON_REPLY, thinkingBudget: 9 });
    expect(thinking).toMatchObject({ tokens: 9, close: '</think>', inside: true });
    expect(prepareWith(THINKING, {}, { ...JSON_REPLY, thinkingBudget: 0 }).thinking).toBeUndefined();
  });

  it('goes on with the reasoning that the template has begun', () => {
    const { prompt } = prepareWith(HERMES_LIKE, { templateKwargs: { think: true, enable_thinking: true } }, JSON_REPLY);
    expect(prompt).toMatch(/assistant: <think>\n$/);
  });

  it('has no reasoning where the model has none', () => {
    const { prompt, grammar } = prepareWith('{{ messages[0].content }}!', ASKED, JSON_REPLY);
    expect(prompt).toBe('Hello!');
    expect(matcherOf(grammar)('{}')).toBe(true);
  });
});

describe('a reply with a grammar, of a family that writes messages', () => {
  it.each([
    ['gpt-oss', HARMONY, '<|channel|>final<|message|>'],
    ['Muse', MUSE, ' to=user<|message|>'],
  ])('is written in the message of the answer: %s', (_, template, open) => {
    const prepared = prepareWith(template, {}, JSON_REPLY);
    expect(String(prepared.prompt).endsWith(`<|start|>assistant${open}`)).toBe(true);
    expect(read(prepared, '{}')).toEqual([{ kind: 'content', text: '{}' }]);
  });

  it.each([
    ['gpt-oss', HARMONY, '<|channel|>final<|message|>', '<|channel|>analysis<|message|>', '<|end|>'],
    ['Muse', MUSE, ' to=user<|message|>', ' to=self<|message|>', '<|eom|>'],
  ])('follows the message with the reasoning: %s', (_, template, answer, thoughts, end) => {
    const prepared = prepareWith(template, ASKED, JSON_REPLY);
    expect(String(prepared.prompt).endsWith(`<|start|>assistant${thoughts}`)).toBe(true);
    const reply = `Hm.${end}<|start|>assistant${answer}{}`;
    expect(matcherOf(prepared.grammar)(reply)).toBe(true);
    expect(read(prepared, reply)).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'content', text: '{}' },
    ]);
  });

  it('is in the message of the answer, or a message with a call', () => {
    const prepared = prepareWith(HARMONY, { tools: [NOW] }, JSON_REPLY);
    const call = '<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}';
    const replies = ['<|channel|>final<|message|>{}', call, '{}'];
    expect(replies.filter(matcherOf(prepared.grammar))).toEqual(replies.slice(0, 2));
    expect(replies.slice(0, 2).map((reply) => read(prepared, reply))).toEqual([
      [{ kind: 'content', text: '{}' }],
      NOW_DELTAS,
    ]);
    expect(read(prepared, '<|channel|>fin')).toEqual([]);
  });
});
