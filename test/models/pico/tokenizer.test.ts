import { gguf } from '@huggingface/gguf';
import fc from 'fast-check';
import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDice } from '../../../models/pico/generator/dice.ts';
import { makeConversation } from '../../../models/pico/generator/mix.ts';
import { createRenderer } from '../../../models/pico/generator/render.ts';
import { createEncoder, learnVocabulary } from '../../../models/pico/tokenizer.ts';
import { MODEL, template } from './files.ts';

describe('the vocabulary in pico.gguf', () => {
  let encode: (text: string) => number[];
  let llama: Llama;
  let model: LlamaModel;

  beforeAll(async () => {
    const { metadata } = await gguf(MODEL, { allowLocalFile: true });
    const fields = metadata as unknown as Record<string, string[]>;
    const merges = (fields['tokenizer.ggml.merges'] ?? []).map((merge) => merge.split(' ') as [string, string]);
    encode = createEncoder({ tokens: fields['tokenizer.ggml.tokens'] ?? [], merges });
    llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.error });
    model = await llama.loadModel({ modelPath: MODEL });
  });

  afterAll(async () => {
    await model.dispose();
    await llama.dispose();
  });

  it('cuts what pico was trained on as llama.cpp does', () => {
    const render = createRenderer(template());
    const dice = makeDice(11);
    for (let count = 0; count < 200; count++) {
      const text = render(makeConversation(dice))
        .map((span) => span.text)
        .join('');
      expect(encode(text), text).toEqual([...model.tokenize(text, true)]);
    }
  });

  it('cuts any text as llama.cpp does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(encode(text)).toEqual([...model.tokenize(text)]);
      }),
      { numRuns: 500 },
    );
  });

  it('spells a word the same wherever it stands', () => {
    for (const word of ['Zofia', 'Reykjavik', 'blorptron', '66120', 'x7k2']) {
      const spelled = encode(word).join();
      for (const text of [` ${word}`, `"${word}"`, `(${word})`, `is ${word}.`, `\n${word}, `]) {
        expect(`,${encode(text).join()},`, text).toContain(`,${spelled},`);
      }
    }
  });
});

describe('learning a vocabulary', () => {
  it('merges what comes most often, but no space before a word and no digits', () => {
    const { tokens, merges } = learnVocabulary(['the cat and the cat 11 11 11 "x" "x"'], 266);
    expect(tokens).toHaveLength(266);
    expect(merges.map((pair) => pair.join(''))).toContain('the');
    for (const [left, right] of merges) expect(left + right).not.toMatch(/Ġ[a-z]|\d/);
  });

  it('says so when the texts have too few words', () => {
    expect(() => learnVocabulary(['a a'], 1000)).toThrow('the texts have words for 256 tokens only');
  });
});
