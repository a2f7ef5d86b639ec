import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextLogprobs } from '../../../src/api/completions/logprobs.ts';
import type { TokenLogprob } from '../../../src/contract/events.ts';

const token = (bytes: number[], logprob = -1, alternatives: TokenLogprob['alternatives'] = []): TokenLogprob => ({
  text: Buffer.from(bytes).toString(),
  bytes,
  logprob,
  alternatives,
});
const tokenOf = (text: string, logprob = -1, alternatives: TokenLogprob['alternatives'] = []) =>
  token([...Buffer.from(text)], logprob, alternatives);

describe('logprobs of a plain completion', () => {
  it('are lists with an entry for each token', () => {
    const alternatives = [tokenOf('Hel', -0.5), tokenOf('Hi', -1.5)];
    expect(createTextLogprobs()([tokenOf('Hel', -0.5, alternatives), tokenOf('lo', -0.25)])).toEqual({
      tokens: ['Hel', 'lo'],
      token_logprobs: [-0.5, -0.25],
      top_logprobs: [{ Hel: -0.5, Hi: -1.5 }, { lo: -0.25 }],
      text_offset: [0, 3],
    });
  });

  it('list the token itself among its alternatives, even if it is not among the most likely', () => {
    const { top_logprobs } = createTextLogprobs()([tokenOf('rare', -9, [tokenOf('often', -0.1)])]);
    expect(top_logprobs).toEqual([{ often: -0.1, rare: -9 }]);
  });

  it('are null for a token that nothing is before', () => {
    const { tokens, token_logprobs, top_logprobs } = createTextLogprobs()([tokenOf('On', Number.NaN), tokenOf('ce')]);
    expect({ tokens, token_logprobs, top_logprobs }).toEqual({
      tokens: ['On', 'ce'],
      token_logprobs: [null, -1],
      top_logprobs: [null, { ce: -1 }],
    });
  });

  it('continue the offsets over several pieces, in characters', () => {
    const write = createTextLogprobs();
    expect(write([tokenOf('né'), tokenOf('🙂')]).text_offset).toEqual([0, 2]);
    expect(write([]).text_offset).toEqual([]);
    expect(write([tokenOf('!'), tokenOf('')]).text_offset).toEqual([3, 4]);
  });

  it('name parts of a character by their bytes, at the place of the character', () => {
    const { tokens, text_offset } = createTextLogprobs()([
      tokenOf('a'),
      token([0xe2]),
      token([0x82, 0xac]),
      tokenOf('b'),
    ]);
    expect(tokens).toEqual(['a', 'bytes:\\xe2', 'bytes:\\x82\\xac', 'b']);
    expect(text_offset).toEqual([0, 1, 1, 2]);
  });

  it('keep parts of characters apart among the alternatives', () => {
    const { top_logprobs } = createTextLogprobs()([token([0xe2], -1, [token([0xe2], -1), token([0xe3], -2)])]);
    expect(top_logprobs).toEqual([{ 'bytes:\\xe2': -1, 'bytes:\\xe3': -2 }]);
  });

  it('replace infinity, which JSON lacks', () => {
    expect(createTextLogprobs()([tokenOf('a', -Infinity)])).toMatchObject({
      token_logprobs: [-9999],
      top_logprobs: [{ a: -9999 }],
    });
  });

  it('have a name for a token of any text', () => {
    expect(createTextLogprobs()([tokenOf('__proto__')]).top_logprobs.map((top) => Object.keys(top ?? {}))).toEqual([
      ['__proto__'],
    ]);
  });

  it('have the offset at which the text of each token begins, however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), fc.nat(), (texts, cut) => {
        const write = createTextLogprobs();
        const tokens = texts.map((text) => tokenOf(text));
        const at = tokens.length > 0 ? cut % tokens.length : 0;
        const offsets = [write(tokens.slice(0, at)), write(tokens.slice(at))].flatMap(({ text_offset }) => text_offset);
        const characters = [...texts.join('')];
        for (const [index, text] of texts.entries()) {
          const offset = offsets[index] ?? -1;
          expect(characters.slice(offset, offset + [...text].length).join('')).toBe(text);
        }
      }),
    );
  });
});
