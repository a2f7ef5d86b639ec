import { describe, expect, it } from 'vitest';
import { type Spelling, spellingsOf, weighSpellings } from '../../src/engine/label-tree.ts';

/** Returns spellings in which each letter is a token. */
function letters(...texts: string[]): Spelling[] {
  return texts.map((text, option) => ({ option, tokens: [...text].map((letter) => letter.codePointAt(0) ?? 0) }));
}

/** Reads logits of 0 for all tokens but those in `raised`, which have the logit ln 3. Notes the paths. */
function reader(raised: string) {
  const paths: string[] = [];
  const read = async (path: readonly number[], tokens: number[], ends: boolean) => {
    paths.push(String.fromCodePoint(...path));
    const logits = tokens.map((token) => (raised.includes(String.fromCodePoint(token)) ? Math.log(3) : 0));
    return ends ? [...logits, 0] : logits;
  };
  return { read, paths };
}

describe('the probabilities of spellings', () => {
  it('are those of their first tokens, read once, if these differ', async () => {
    const { read, paths } = reader('y');
    const [yes, no] = await weighSpellings(letters('yes', 'no'), 2, read);
    expect(yes).toBeCloseTo(0.75);
    expect(no).toBeCloseTo(0.25);
    expect(paths).toEqual(['']);
  });

  it('are the product of the probabilities at each place where spellings part', async () => {
    const { read, paths } = reader('n');
    const [york, delhi, paris] = await weighSpellings(letters('new york', 'new delhi', 'paris'), 3, read);
    expect(paths).toEqual(['', 'new ']);
    expect(york).toBeCloseTo(0.375);
    expect(delhi).toBeCloseTo(0.375);
    expect(paris).toBeCloseTo(0.25);
  });

  it('tell a text from a longer one by the end of the reply', async () => {
    const { read, paths } = reader('f');
    const [bug, bugfix] = await weighSpellings(letters('bug', 'bugfix'), 2, read);
    expect(paths).toEqual(['bug']);
    expect(bug).toBeCloseTo(0.25);
    expect(bugfix).toBeCloseTo(0.75);
  });

  it('are added up over the spellings of an option, which are not told apart', async () => {
    const { read, paths } = reader('');
    const spellings = [...letters('yes', 'no'), ...letters('yep').map((spelling) => ({ ...spelling, option: 0 }))];
    const [yes, no] = await weighSpellings(spellings, 2, read);
    expect(paths).toEqual(['']);
    expect([yes, no]).toEqual([0.5, 0.5]);
  });

  it('are shared evenly by options of one text, and by options too unlikely to be told apart', async () => {
    const { read, paths } = reader('');
    expect(await weighSpellings(letters('a', 'a'), 2, read)).toEqual([0.5, 0.5]);
    const rare = async (path: readonly number[], tokens: number[]) => {
      if (path.length > 0) throw new Error('this branch is not to be read');
      return tokens.map((token) => (token === 0x61 ? 20 : 0));
    };
    const [sure, one, other] = await weighSpellings(letters('a', 'bc', 'bd'), 3, rare);
    expect(sure).toBeCloseTo(1);
    expect(one).toBe(other);
    expect((sure ?? 0) + (one ?? 0) + (other ?? 0)).toBeCloseTo(1, 12);
    expect(paths).toEqual([]);
  });

  it('are even if the model rules all of them out', async () => {
    const never = async (_: readonly number[], tokens: number[]) => tokens.map(() => Number.NEGATIVE_INFINITY);
    expect(await weighSpellings(letters('a', 'b'), 2, never)).toEqual([0.5, 0.5]);
  });

  it('have a sum of 1 for 255 options', async () => {
    const { read } = reader('1');
    const labels = Array.from({ length: 255 }, (_, index) => `option ${index}`);
    const probabilities = await weighSpellings(letters(...labels), labels.length, read);
    expect(probabilities.reduce((total, probability) => total + probability, 0)).toBeCloseTo(1, 12);
  });
});

describe('the spellings of options', () => {
  const encode = (text: string) => [...text].map((letter) => letter.codePointAt(0) ?? 0);
  const textOf = (token: number) => String.fromCodePoint(token);

  it('leave out those whose first token is a space, unless an option has no other', async () => {
    const spellings = await spellingsOf([['a', ' a'], [' ']], encode, textOf);
    expect(spellings).toEqual([
      { option: 0, tokens: [0x61] },
      { option: 1, tokens: [0x20] },
    ]);
  });
});
