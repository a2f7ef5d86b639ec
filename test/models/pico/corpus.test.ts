// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest';
import { readCases } from '../../../models/pico/cases.ts';
import { makeDice } from '../../../models/pico/generator/dice.ts';
import { HELD_OUT_NAMES } from '../../../models/pico/generator/held-out.ts';
import { type Conversation, makeConversation } from '../../../models/pico/generator/mix.ts';
import { createRenderer } from '../../../models/pico/generator/render.ts';
import { isLeak, plain } from '../../../models/pico/leaks.ts';
import { detectFormat } from '../../../src/chat/formats/index.ts';
import { template } from './files.ts';

const render = createRenderer(template());

function conversations(seed: number, count: number): Conversation[] {
  const dice = makeDice(seed);
  return Array.from({ length: count }, () => makeConversation(dice));
}

describe('the corpus', () => {
  it('is the same for the same seed', () => {
    expect(conversations(5, 50)).toEqual(conversations(5, 50));
    expect(conversations(5, 50)).not.toEqual(conversations(6, 50));
  });

  it('puts given parts into made-up words, so that what is rare is learnt as well', () => {
    const texts = (parts: string[]) => {
      const dice = makeDice(5, parts);
      return JSON.stringify(Array.from({ length: 50 }, () => makeConversation(dice)));
    };
    expect(texts(['qxv'])).toContain('qxv');
    expect(texts([])).not.toContain('qxv');
  });

  it('has calls that the parser of the served format reads as they were meant', () => {
    const format = detectFormat(template());
    expect(format.name).toBe('hermes');
    let calls = 0;
    for (const conversation of conversations(7, 500)) {
      const last = conversation.messages.at(-1);
      const [expected] = last?.tool_calls ?? [];
      if (!expected) continue;
      calls++;
      const reply =
        render(conversation)
          .filter(({ learnt }) => learnt)
          .at(-1)
          ?.text.replace('<|im_end|>', '') ?? '';
      const parser = format.createParser({ tools: conversation.tools, startsInReasoning: false });
      const deltas = [...parser.push(reply), ...parser.finish()];
      const json = deltas.map((delta) => (delta.kind === 'toolArguments' ? delta.text : '')).join('');
      expect(deltas).toContainEqual(expect.objectContaining({ kind: 'toolCall', name: expected.function.name }));
      expect(JSON.parse(json)).toEqual(JSON.parse(expected.function.arguments));
    }
    expect(calls).toBeGreaterThan(10);
  });

  it('has every reply learnt, and nothing but replies', () => {
    for (const conversation of conversations(8, 200)) {
      const replies = conversation.messages.filter(({ role }) => role === 'assistant');
      const learnt = render(conversation).filter((span) => span.learnt);
      expect(learnt).toHaveLength(replies.length);
      for (const [index, { text }] of learnt.entries()) {
        expect(text.endsWith('<|im_end|>')).toBe(true);
        const { content } = replies[index] ?? {};
        if (content) expect(text).toBe(`${content}<|im_end|>`);
      }
    }
  });
});

describe('the evaluation', () => {
  let training: Conversation[];
  beforeAll(() => {
    training = conversations(1, 4000);
  });

  it('has 200 cases in six groups', () => {
    const cases = readCases();
    expect(cases).toHaveLength(200);
    expect(new Set(cases.map(({ group }) => group)).size).toBe(6);
  });

  it('has names that no training text contains', () => {
    const text = plain(
      training
        .map((one) =>
          render(one)
            .map((span) => span.text)
            .join(''),
        )
        .join(' '),
    );
    const words = new Set(text.split(/[^a-z0-9]+/));
    for (const name of HELD_OUT_NAMES) expect(words.has(name.toLowerCase()), name).toBe(false);
  });

  it('has questions that no training text contains, because those that do are left out', () => {
    const kept = training.filter((one) => !isLeak(one));
    const asked = kept.flatMap(({ messages }) => messages.map(({ content }) => plain(content ?? ''))).join('\n');
    for (const { user } of readCases()) expect(asked).not.toContain(plain(user.at(-1) ?? ''));
    expect(kept.length).toBeGreaterThan(3960);
  });
});
