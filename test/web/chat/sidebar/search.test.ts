import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../web/chat/conversation/conversation.ts';
import { newMessage, setDeleted } from '../../../../web/chat/conversation/tree/operations.ts';
import type { MessageNode } from '../../../../web/chat/conversation/tree/tree.ts';
import { excerptOf, findIn, hasWords, lastFind, shownBy } from '../../../../web/chat/sidebar/search.ts';

const messageOf = (turn: Turn, time = 1, parent: string | null = null): MessageNode =>
  newMessage('c', parent, turn, { time, tab: 'a' });
const said = (id: string, text: string, files: { name: string; text: string }[] = []): Turn => ({
  role: 'user',
  id,
  text,
  images: [],
  files: files.map((file) => ({ ...file, size: file.text.length })),
});

describe('an excerpt', () => {
  it('has the words that were looked for, whatever their case, with some around them on one line', () => {
    expect(excerptOf('All of it.', 'OF')).toBe('All of it.');
    const text = `${'before '.repeat(20)}the\nWords ${'after '.repeat(40)}`;
    const excerpt = excerptOf(text, 'the words') ?? '';
    expect(excerpt).toMatch(/^….*the Words after .*…$/);
    expect(excerpt.length).toBeLessThan(120);
  });

  it('is there only if the words are', () => {
    expect(excerptOf('All of it.', 'none')).toBeNull();
  });

  it('takes all characters as they are', () => {
    expect(hasWords('Why (a+b)*c? Because 1-2 [is] {so}', '(A+B)*c?')).toBe(true);
    expect(hasWords('1-2 [is] {so}', '1-2  [is]')).toBe(true);
    expect(hasWords('abc', 'a.c')).toBe(false);
  });
});

describe('a find', () => {
  it('is in the text of a message, or in a file of it, which it names', () => {
    const files = [{ name: 'dough.txt', text: 'Salt and\nflour.' }];
    expect(findIn(messageOf(said('m', 'Some flour', files)), 'flour')).toMatchObject({ excerpt: 'Some flour' });
    expect(findIn(messageOf(said('m', 'Some flour', files)), 'and flour')).toEqual({
      messageId: 'm',
      made: { time: 1, tab: 'a' },
      excerpt: 'Salt and flour.',
      file: 'dough.txt',
    });
    expect(findIn(messageOf(said('m', '', files)), 'dough')).toMatchObject({ excerpt: 'dough.txt' });
    expect(findIn(messageOf(said('m', '', files)), 'sugar')).toBeNull();
  });

  it('is in no deleted message', () => {
    const [gone] = setDeleted(messageOf(said('m', 'flour')), true, { time: 2, tab: 'a' }).messages;
    expect(gone && findIn(gone, 'flour')).toBeNull();
  });

  it('of a conversation is the one that was said last, in whatever order messages are looked at', () => {
    const finds = [1, 3, 2].flatMap((time) => findIn(messageOf(said(`at ${time}`, 'flour'), time), 'flour') ?? []);
    const last = finds.reduce<ReturnType<typeof lastFind> | undefined>(lastFind, undefined);
    expect(last?.messageId).toBe('at 3');
  });

  it('in the result of a tool is shown by the reply that called it', () => {
    const result = (id: string): Turn => ({ role: 'tool', id, callId: id, text: 'flour' });
    const reply: Turn = {
      role: 'assistant',
      id: 'r',
      model: '',
      text: '',
      reasoning: '',
      calls: [],
      end: null,
      stats: null,
    };
    const all = [messageOf(reply), messageOf(result('one'), 2, 'r'), messageOf(result('two'), 3, 'one')];
    expect(shownBy(Object.fromEntries(all.map((message) => [message.id, message])), 'two')).toBe('r');
  });
});
