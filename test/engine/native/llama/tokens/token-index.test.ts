import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCandidates } from '../../../../../src/engine/native/llama/candidates.ts';
import { createGrammarGate } from '../../../../../src/engine/native/llama/grammar.ts';
import type { LlamaModel } from '../../../../../src/engine/native/llama/model.ts';
import {
  possibleTokens,
  readTokenIndex,
  type TokenIndex,
} from '../../../../../src/engine/native/llama/tokens/token-index.ts';
import { beginning, type GrammarProgress } from '../../../../../src/grammar/gbnf/follow.ts';
import { parseGrammar } from '../../../../../src/grammar/gbnf/parse.ts';
import { openNativeModel } from '../../../../kit/native-model.ts';

describe('the index of a vocabulary', () => {
  let model: LlamaModel;
  let index: TokenIndex;
  beforeAll(async () => {
    model = await openNativeModel('models/pico/pico.gguf', { vocab_only: true });
    index = await readTokenIndex(model.tokenizer);
  });
  afterAll(() => model.close());

  /** Returns the state of a grammar after a text. */
  function follow(grammar: string, said: string): GrammarProgress {
    const rules = parseGrammar(grammar);
    let at = rules && beginning(rules);
    for (const character of said) at = at?.after(character.codePointAt(0) ?? 0);
    if (!at) throw new Error(`the grammar ${grammar} does not allow ${said}`);
    return at;
  }

  it('holds every token once', () => {
    const groups = [...index.groups.values()];
    const all = [...index.others, ...groups.flatMap(({ alone, longer }) => [...alone, ...longer.values()].flat())];
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: model.tokenizer.size }, (_, token) => token));
  });

  it('knows the first two characters of a token', () => {
    const [brace = -1] = model.tokenizer.tokenize('{', false);
    expect(index.groups.get(0x7b)?.alone).toContain(brace);
    const textOf = (token: number) => model.tokenizer.pieceOf(token).toString();
    for (const [first, { longer }] of [...index.groups].slice(0, 20)) {
      for (const [second, tokens] of longer) {
        if (second < 0) continue;
        const start = String.fromCodePoint(first, second);
        expect(tokens.map(textOf).filter((text) => !text.startsWith(start))).toEqual([]);
      }
    }
  });

  const cases: [name: string, grammar: string, said: string][] = [
    ['of digits', 'root ::= "n: " [0-9]+', ''],
    ['of digits, in the middle', 'root ::= "n: " [0-9]+', 'n: 4'],
    ['that is complete', 'root ::= "ab"', 'ab'],
    ['that may end or go on', 'root ::= "ab" [0-9]*', 'ab1'],
    ['of words', 'root ::= ("yes" | "no" | "perhaps") "."', ''],
    ['of words after spaces', 'root ::= " "* ("yes" | "no")', ' '],
    ['of letters that take several bytes', 'root ::= [äöü€😀]+', ''],
    ['of letters that take several bytes, in the middle', 'root ::= [äöü€]+ "."', 'ä'],
    ['of one character and then any', 'root ::= "\\"" [^"\\\\]* "\\""', ''],
    ['of many choices', 'root ::= "x" [^x] | "xylophone" | [0-9]{2,5} "x"', '12'],
  ];
  it.each(cases)('leaves every token that is allowed by a grammar %s', async (_, grammar, said) => {
    const gate = createGrammarGate(model, grammar);
    for (const token of model.tokenizer.tokenize(said, false)) gate.accept(token);
    const candidates = createCandidates(model.tokenizer.size);
    candidates.fillAll(new Float32Array(model.tokenizer.size));
    await gate.mask(candidates);
    const allowed = [...candidates.logits().keys()].filter((token) => candidates.logitAt(token) === 0);
    const possible = possibleTokens(index, follow(grammar, said));
    expect(allowed.length).toBeGreaterThan(0);
    expect(allowed.filter((token) => !possible?.includes(token))).toEqual([]);
    expect(possible).toEqual(possible?.toSorted());
    gate.close();
  });

  it('rules out all but a few tokens for a grammar of few characters', () => {
    // Parts of characters are always possible: the first character is not known.
    const most = index.others.length + model.tokenizer.size / 50;
    expect(possibleTokens(index, follow('root ::= [0-9]+', ''))?.length).toBeLessThan(most);
    expect(possibleTokens(index, follow('root ::= " "* "yes"', ''))?.length).toBeLessThan(most);
  });

  it('leaves a grammar of nearly any text alone', () => {
    expect(possibleTokens(index, follow('root ::= [^"]*', ''))).toBeNull();
  });
});
