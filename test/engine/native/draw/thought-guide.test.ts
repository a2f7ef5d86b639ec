import { describe, expect, it } from 'vitest';
import { createThoughtGuide } from '../../../../src/engine/native/draw/thought-guide.ts';

/** A vocabulary of characters: the token of a character is its code. */
const CHARACTERS = {
  tokensAmid: (text: string) => Array.from(text, (character) => character.charCodeAt(0)),
  nameOrText: (tokens: number[]) => String.fromCharCode(...tokens),
};

const LIMIT = { tokens: 4, open: '<t>', close: '</t>', ends: ['[call]'], inside: true };

/** Returns the text of a reply of which `text` is drawn, with what is forced after each token in brackets. */
function written(text: string, limit: Partial<typeof LIMIT> = {}): string {
  const guide = createThoughtGuide({ ...LIMIT, ...limit }, CHARACTERS);
  const forced = () => {
    const tokens = guide.forced();
    for (const token of tokens) guide.take(token);
    return tokens.length > 0 ? `{${CHARACTERS.nameOrText(tokens)}}` : '';
  };
  let reply = forced();
  for (const token of CHARACTERS.tokensAmid(text)) {
    guide.take(token);
    reply += CHARACTERS.nameOrText([token]) + forced();
  }
  return reply;
}

describe('a block of reasoning', () => {
  it('is closed after as many tokens as it may have', () => {
    expect(written('abcdefgh')).toBe('abcd{</t>}efgh');
    expect(written('abc', { tokens: 0 })).toBe('{</t>}abc');
  });

  it('goes on with its closing mark where the tokens before are known', () => {
    const guide = createThoughtGuide(LIMIT, CHARACTERS);
    for (const token of CHARACTERS.tokensAmid('abcd</')) guide.take(token);
    expect(CHARACTERS.nameOrText(guide.forced())).toBe('t>');
  });

  it('is left alone if it closes itself', () => {
    expect(written('a</t>bcdefgh', { tokens: 5 })).toBe('a</t>bcdefgh');
  });

  it('counts from its opening mark, and each block anew', () => {
    expect(written('answers <t>abcdef <t>ghijk', { inside: false })).toBe('answers <t>abcd{</t>}ef <t>ghij{</t>}k');
  });

  it('ends with the mark of a call, so that nothing is forced inside the call', () => {
    expect(written('ab[call]cdefgh', { tokens: 8 })).toBe('ab[call]cdefgh');
  });
});
