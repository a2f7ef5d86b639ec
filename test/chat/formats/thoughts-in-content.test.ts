import { describe, expect, it } from 'vitest';
import type { ReplyDelta } from '../../../src/chat/formats/format.ts';
import { detectFormat } from '../../../src/chat/formats/index.ts';
import { HERMES_LIKE, NOW, NOW_CALL } from '../fixtures.ts';

const MARKS = { open: '<think>', close: '</think>', gap: '\n' };

function read(reply: string, startsInReasoning: boolean): ReplyDelta[] {
  const options = { tools: [NOW], startsInReasoning, thoughtsInContent: MARKS };
  const parser = detectFormat(HERMES_LIKE).createParser(options);
  const deltas = [...[...reply].flatMap((piece) => parser.push(piece)), ...parser.finish()];
  const joined: ReplyDelta[] = [];
  for (const delta of deltas) {
    const last = joined.at(-1);
    if (last?.kind === 'content' && delta.kind === 'content') last.text += delta.text;
    else joined.push({ ...delta });
  }
  return joined;
}

describe('reasoning that is to be a part of the content', () => {
  it.each([
    ['by the model', '<think>\nHm.\n</think>\n\nYes.', false],
    ['by the prompt', 'Hm.\n</think>\n\nYes.', true],
  ])('stands there between its marks, opened %s', (_, reply, startsInReasoning) => {
    expect(read(reply, startsInReasoning)).toEqual([{ kind: 'content', text: '<think>\nHm.\n</think>\n\nYes.' }]);
  });

  it('ends before a call', () => {
    expect(read(`Hm.</think>${NOW_CALL}`, true)).toEqual([
      { kind: 'content', text: '<think>\nHm.\n</think>\n\n' },
      { kind: 'toolCall', index: 0, name: 'now' },
      { kind: 'toolArguments', index: 0, text: '{}' },
    ]);
  });

  it('is not closed if the reply is cut off within it', () => {
    expect(read('Hm', true)).toEqual([{ kind: 'content', text: '<think>\nHm' }]);
  });

  it('changes nothing of a reply without reasoning', () => {
    expect(read('Yes.', false)).toEqual([{ kind: 'content', text: 'Yes.' }]);
  });
});
