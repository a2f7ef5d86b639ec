import fc from 'fast-check';
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDetokenizer } from '../../../src/core/chat/detokenizer.ts';
import type { Token } from '../../../src/engine/native/llama.ts';
import { createVocabulary, type Vocabulary } from '../../../src/engine/native/vocabulary.ts';

/** One of the vocabularies for which llama.cpp's own detokenizer takes spaces before punctuation for mistakes. */
const MODEL = 'models/pico/pico.gguf';

describe('a byte-level vocabulary', () => {
  let llama: Llama;
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.error });
    vocabulary = createVocabulary(await llama.loadModel({ modelPath: MODEL }));
  });
  afterAll(() => llama.dispose());

  const tokensOf = (text: string) => vocabulary.promptTokens(text);
  const streamed = (tokens: Token[], marks: ReadonlySet<Token> = new Set()) => {
    const detokenizer = createDetokenizer((pending, before) =>
      vocabulary.textOf(pending as Token[], before as Token[], marks),
    );
    return tokens.map((token) => detokenizer.push(token));
  };

  it.each(['Bonjour !', "it 's a .b, isn 't it ?", ' .', 'x  ,\n y', '\uFEFFmark', 'naïve 🦙 ø'])(
    'reproduces %j exactly',
    async (text) => {
      const tokens = tokensOf(text);
      expect(streamed(tokens).join('')).toBe(text);
      expect(await vocabulary.answers.detokenize?.({ tokens }, undefined)).toEqual({ text });
    },
  );

  it('gives any text back, whole and token by token', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(texts, (text) => {
        expect(streamed(tokensOf(text)).join('')).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves out special tokens except the marks, and half a character', () => {
    const tokens = tokensOf('a<|im_end|>b');
    expect(streamed(tokens)).toEqual(['a', '', 'b']);
    expect(streamed(tokens, vocabulary.specialTokens(['<|im_end|>']))).toEqual(['a', '<|im_end|>', 'b']);
    const pieces = streamed(tokensOf('🦙'));
    expect(pieces.slice(0, -1).join('')).toBe('');
    expect(pieces.at(-1)).toBe('🦙');
  });

  it('gives the bytes of each token', () => {
    const bytes = tokensOf('naïve 🦙').flatMap((token) => vocabulary.bytesOf(token));
    expect(Buffer.from(bytes).toString()).toBe('naïve 🦙');
  });
});
