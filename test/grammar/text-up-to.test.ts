import { describe, expect, it } from 'vitest';
import { textUpTo } from '../../src/grammar/text-up-to.ts';
import { parseGrammar } from './gbnf.ts';
import { createMatcher } from './gbnf-matcher.ts';

function matcher(mark: string): (text: string) => boolean {
  const { rules, rule } = textUpTo(mark, 'up');
  return createMatcher(parseGrammar(rules), rule);
}

describe('the grammar of the texts up to a mark', () => {
  it.each(['</think>', 'aab', 'abab', '…x', '<|close|>think<|sep|>'])('has the texts that end with %s', (mark) => {
    const matches = matcher(mark);
    const texts = ['', 'Hm.\n', 'Ä 😀 \\ " ]', mark.slice(0, -1), mark.slice(0, 1), mark.slice(1), 'a', 'ab', 'aaa'];
    for (const text of texts) {
      const first = (text + mark).indexOf(mark) === text.length;
      expect(matches(text + mark), JSON.stringify(text)).toBe(first);
      expect(matches(text), JSON.stringify(text)).toBe(false);
    }
  });

  it('has no text with the mark in it', () => {
    const matches = matcher('</think>');
    expect(['a</think>b</think>', '</think></think>', '</think> '].filter(matches)).toEqual([]);
    expect(['</</think>', '</thi</think>', '<</think>'].filter(matches)).toHaveLength(3);
  });
});
