import { describe, expect, it } from 'vitest';
import type { EngineEvent, TokenLogprob } from '../../../src/contract/events.ts';
import { createReplyText, type ReplyTextOptions } from '../../../src/engine/native/reply-text.ts';
import { replyOf } from './step/fake-generation.ts';

/** A token's text with its log probability. */
const scored = (text: string, logprob: number) => ({ text, bytes: [...Buffer.from(text)], logprob, alternatives: [] });

/** Makes a reply whose token n has the nth of these texts. */
function createReply(texts: string[], more: Partial<ReplyTextOptions> = {}) {
  const events: EngineEvent[] = [];
  const reply = createReplyText({
    choice: 0,
    before: [],
    replayed: { tokens: [], logprobs: [] },
    textOf: (tokens) => tokens.map((token) => texts[token] ?? '').join(''),
    stop: [],
    banned: [],
    maxTokens: null,
    toLogprob: ({ token, logprob = 0 }) => scored(texts[token] ?? '', logprob),
    journal: false,
    emit: (event) => events.push(event),
    ...more,
  });
  return { reply, events };
}

/** Adds the tokens from `first` on until one ends the reply. Returns the reply's text, and why it ended. */
function write(texts: string[], more: Partial<ReplyTextOptions> = {}, first = 0) {
  const { reply, events } = createReply(texts, more);
  for (let token = first; token < texts.length; token++) {
    const reason = reply.add({ token: token });
    if (!reason) continue;
    reply.finish(reason);
    break;
  }
  return { ...replyOf(events), tokens: reply.tokens, added: reply.added };
}

const two = { tokens: [0, 1], logprobs: [] as TokenLogprob[] };

describe('the text of a reply', () => {
  it.each<[string, string[], Partial<ReplyTextOptions>, { text: string; reasons: string[]; tokens: number }]>([
    ['goes on without a reason to end', ['a', 'b'], {}, { text: 'ab', reasons: [], tokens: 2 }],
    ['ends at a stop sequence', ['a', 'b', 'c', 'd'], { stop: ['bc'] }, { text: 'a', reasons: ['stop'], tokens: 3 }],
    [
      'ends at a banned text',
      ['a', 'BC', 'd'],
      { banned: ['bc'] },
      { text: 'a', reasons: ['content_filter'], tokens: 2 },
    ],
    ['ends at the most tokens', ['a', 'b', 'c'], { maxTokens: 2 }, { text: 'ab', reasons: ['length'], tokens: 2 }],
    [
      'has what was held back at its end',
      ['a', 'b', 'c'],
      { stop: ['bx'], maxTokens: 2 },
      { text: 'ab', reasons: ['length'], tokens: 2 },
    ],
  ])('%s', (_, texts, more, expected) => {
    expect(write(texts, more)).toMatchObject(expected);
  });

  it('goes on from where a previous engine left it, and says nothing twice', () => {
    const texts = ['a', 'b', 'c', 'd'];
    expect(write(texts, { replayed: two, maxTokens: 4 }, 2)).toEqual({
      text: 'cd',
      reasons: ['length'],
      tokens: 4,
      added: 2,
    });
    expect(write(texts, { replayed: two, stop: ['bc'] }, 2)).toMatchObject({ text: '', reasons: ['stop'], tokens: 3 });
  });

  it('is emitted with the count and the log probabilities of the tokens that it was held back for', () => {
    const { reply, events } = createReply(['a', 'b'], { stop: ['ax'] });
    reply.add({ token: 0, logprob: -1 });
    expect(events).toEqual([]);
    reply.add({ token: 1, logprob: -2 });
    expect(events).toEqual([
      { kind: 'text', choice: 0, text: 'ab', tokens: 2, logprobs: [scored('a', -1), scored('b', -2)] },
    ]);
  });

  it('is told token by token where that is asked for', () => {
    const { reply, events } = createReply(['a'], { journal: true, stop: ['ax'] });
    reply.add({ token: 0 });
    expect(events).toEqual([{ kind: 'drawn', choice: 0, token: 0 }]);
  });
});
