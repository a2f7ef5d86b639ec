import { describe, expect, it } from 'vitest';
import { formats } from '../../src/chat/formats/index.ts';
import { createPreparer } from '../../src/chat/prepare.ts';
import type { ChatMessage } from '../../src/contract/prompt.ts';
import { ask, chat } from '../kit/generation.ts';
import { ADD, HERMES_LIKE, PLAIN, traits } from './fixtures.ts';

const user: ChatMessage = { role: 'user', content: 'Hello' };

/** Prepares a request to go on with this message of the model. */
function goOn(template: string | undefined, last: Partial<ChatMessage>, control: string[] = []) {
  const messages: ChatMessage[] = [user, { role: 'assistant', content: null, ...last }];
  const prepare = createPreparer(traits(template, { controlTokens: control }));
  return prepare(ask('', { prompt: { ...chat(messages), continues: true } }));
}

describe('the prompt of a reply that goes on', () => {
  it.each([
    [undefined, '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\nOnce  '],
    [PLAIN, 'user: Hello\nassistant: Once  '],
    [
      '{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}[end]{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}',
      '[user]Hello[end][assistant]Once  ',
    ],
  ])('ends with the last character of the message, spaces included: %s', (template, prompt) => {
    expect(goOn(template, { content: 'Once  ' })).toMatchObject({ prompt, continues: true, grammar: null });
  });

  it('has the thoughts before the text where the template shows them', () => {
    const template =
      '{% for m in messages %}{{ m.role }}:{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }};{% endfor %}';
    const { prompt } = goOn(template, { content: 'It is', reasoning_content: 'Hm.' });
    expect(prompt).toBe('user:Hello;assistant:<think>Hm.</think>It is');
  });

  it('is within the thoughts if there is no text yet, whether the template or the model began them', () => {
    const begun = `${PLAIN}<think>{{ '\\n' }}`;
    expect(goOn(begun, { reasoning_content: 'Hm, so' }).prompt).toBe('user: Hello\nassistant: <think>\nHm, so');
    expect(goOn(PLAIN, { reasoning_content: 'Hm, so' }).prompt).toBe('user: Hello\nassistant: <think>\nHm, so');
  });

  it('keeps what spells a control token as text', () => {
    const { prompt } = goOn(undefined, { content: 'Say <|im_end|> now' }, ['<|im_start|>', '<|im_end|>']);
    expect(prompt).toContainEqual({ text: expect.stringContaining('<|im_end|> now'), literal: true });
  });

  it('is refused if the template leaves the message out', () => {
    const template = '{% for m in messages %}{% if m.role == "user" %}{{ m.content }}{% endif %}{% endfor %}';
    expect(() => goOn(template, { content: 'Once' })).toThrow(
      expect.objectContaining({
        data: expect.objectContaining({ status: 400, param: 'continue_final_message' }),
      }),
    );
  });
});

describe('a reply that goes on', () => {
  const read = (format: (typeof formats)[number], continues: 'content' | 'reasoning', pieces: string[]) => {
    const parser = format.createParser({ tools: [ADD], startsInReasoning: false, continues });
    const deltas = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish()];
    return deltas.map((delta) => [delta.kind, 'text' in delta ? delta.text : delta.name]);
  };
  const joined = (deltas: string[][], kind: string) =>
    deltas.flatMap(([of, text]) => (of === kind ? [text] : [])).join('');

  it.each(formats.map((format) => [format.name, format] as const))(
    'loses no character of %s, also where it begins with a space or like a call',
    (_, format) => {
      for (const text of [' upon a time', '\n\nThen', '{"name": "add"', '[1, 2]', 'all\nof it', 'add\nit']) {
        for (const continues of ['content', 'reasoning'] as const) {
          expect(joined(read(format, continues, [text.slice(0, 3), text.slice(3)]), continues)).toBe(text);
        }
      }
    },
  );

  it('ends its thoughts, answers and calls as any reply does', () => {
    const format = formats.find(({ name }) => name === 'hermes');
    if (!format) throw new Error('there is hermes');
    expect(read(format, 'reasoning', [' it is.\n</think>\n\nYes.'])).toEqual([
      ['reasoning', ' it is.'],
      ['content', 'Yes.'],
    ]);
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>';
    expect(read(format, 'content', [` so:\n${call}`])).toMatchObject([
      ['content', ' so:'],
      ['toolCall', 'add'],
      ['toolArguments', expect.any(String)],
    ]);
  });

  it('is read by the parser of the model', () => {
    expect(goOn(HERMES_LIKE, { content: 'Once' }).parser).toMatchObject({ continues: 'content' });
    expect(goOn(HERMES_LIKE, { reasoning_content: 'Hm' }).parser).toMatchObject({ continues: 'reasoning' });
  });
});
