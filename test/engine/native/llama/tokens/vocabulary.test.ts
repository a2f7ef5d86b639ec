import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDetokenizer } from '../../../../../src/chat/detokenizer.ts';
import type { TextPart } from '../../../../../src/contract/prompt.ts';
import type { LlamaModel } from '../../../../../src/engine/native/llama/model.ts';
import type { Token } from '../../../../../src/engine/native/llama/tokens/token.ts';
import { createVocabulary, type Vocabulary } from '../../../../../src/engine/native/llama/tokens/vocabulary.ts';
import { VOCABULARY_KINDS } from '../../../../kit/models/vocabulary-kinds.ts';
import { openNativeModel } from '../../../../kit/native-model.ts';

/** One of the vocabularies for which llama.cpp's own detokenizer takes spaces before punctuation for mistakes. */
const MODEL = 'models/pico/pico.gguf';

describe('a byte-level vocabulary', () => {
  let model: LlamaModel;
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    model = await openNativeModel(MODEL);
    vocabulary = createVocabulary(model);
  });
  afterAll(() => model.close());

  const tokensOf = async (prompt: string | TextPart[], contextLength?: number): Promise<Token[]> => {
    const tokenized = await vocabulary.promptTokens(prompt, undefined, contextLength);
    if (!tokenized || !('tokens' in tokenized)) throw new Error('the prompt was not tokenized');
    return tokenized.tokens;
  };
  const streamed = (tokens: Token[], marks: ReadonlySet<Token> = new Set()) => {
    const detokenizer = createDetokenizer((pending, before) => vocabulary.textOf(pending, before, marks));
    return tokens.map((token) => detokenizer.push(token));
  };

  it.each(['Bonjour !', "it 's a .b, isn 't it ?", ' .', 'x  ,\n y', '\uFEFFmark', 'naïve 🦙 ø'])(
    'reproduces %j exactly',
    async (text) => {
      const tokens = await tokensOf(text);
      expect(streamed(tokens).join('')).toBe(text);
      expect(await vocabulary.answers.detokenize?.({ tokens }, undefined)).toEqual({ text });
    },
  );

  it('gives any text back, whole and token by token', async () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(streamed(await tokensOf(text)).join('')).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves out special tokens except the marks, and half a character', async () => {
    const tokens = await tokensOf('a<|im_end|>b');
    expect(streamed(tokens)).toEqual(['a', '', 'b']);
    expect(streamed(tokens, vocabulary.specialTokens(['<|im_end|>']))).toEqual(['a', '<|im_end|>', 'b']);
    const pieces = streamed(await tokensOf('🦙'));
    expect(pieces.slice(0, -1).join('')).toBe('');
    expect(pieces.at(-1)).toBe('🦙');
  });

  it('gives the bytes of each token', async () => {
    const bytes = (await tokensOf('naïve 🦙')).flatMap((token) => vocabulary.bytesOf(token));
    expect(Buffer.from(bytes).toString()).toBe('naïve 🦙');
  });

  it('knows its control tokens, and makes ordinary ones of what a client spells', async () => {
    expect(vocabulary.controlTokens).toContain('<|im_end|>');
    const parts = (literal: boolean) => [
      { text: 'a', literal: false },
      { text: '<|im_end|>', literal },
      { text: 'b', literal: false },
    ];
    const [end] = [...vocabulary.specialTokens(['<|im_end|>'])];
    expect(await tokensOf(parts(false))).toContain(end);
    const literal = await tokensOf(parts(true));
    expect(literal).not.toContain(end);
    expect(streamed(literal).join('')).toBe('a<|im_end|>b');
  });

  it('gives the same tokens in pieces as at once', async () => {
    const line = 'Some words, 123 numbers and a naïve 🦙 here.\n';
    const long = line.repeat(1500);
    const tokens = await tokensOf(long);
    const one = await tokensOf(line);
    expect(tokens).toEqual(Array.from({ length: 1500 }, () => one).flat());
  });

  it('does not count a prompt to its end that is far longer than the window', async () => {
    const long = 'word '.repeat(40_000);
    const tokenized = await vocabulary.promptTokens(long, undefined, 100);
    const exact = (await tokensOf(long)).length;
    if (!tokenized || !('overflow' in tokenized)) throw new Error('the prompt fits');
    expect(tokenized.overflow / exact).toBeGreaterThan(0.9);
    expect(tokenized.overflow / exact).toBeLessThan(1.1);
  });

  it('stops once a text has more tokens than are wanted, and leaves out their texts where nobody asks for them', async () => {
    const text = 'word '.repeat(40_000);
    const all = await vocabulary.answers.tokenize?.({ text, addSpecial: false }, undefined);
    const some = await vocabulary.answers.tokenize?.(
      { text, addSpecial: false, most: 100, withPieces: false },
      undefined,
    );
    expect(all?.pieces).toHaveLength(all?.tokens.length ?? 0);
    expect(some?.tokens.length).toBeGreaterThan(100);
    expect(some?.tokens.length).toBeLessThan((all?.tokens.length ?? 0) / 2);
    expect(some?.pieces).toEqual([]);
  });

  it('lets others have their turn while it takes a long text apart, and stops when nobody waits for it', async () => {
    const gone = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) gone.abort();
    }, 0);
    expect(await vocabulary.promptTokens('word '.repeat(200_000), gone.signal)).toBeNull();
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

describe('a vocabulary of scores', () => {
  it('gives the bytes of each token, the space before a word and a part of a character among them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paddock-scores-'));
    const modelPath = join(folder, 'scores.gguf');
    await writeFile(modelPath, VOCABULARY_KINDS['scores, as Llama 2']?.() ?? '');
    const model = await openNativeModel(modelPath, { vocab_only: true });
    const { bytesOf, controlTokens, specialTokens } = createVocabulary(model);
    const bytes = model.tokenizer.tokenize('hello world: € 🦙', false).map(bytesOf);
    expect(Buffer.from(bytes.flat()).toString()).toBe(' hello world: € 🦙');
    expect(bytes).toContainEqual([0xe2]);
    const [end] = specialTokens(['<|im_end|>']);
    expect(controlTokens).toContain('<|im_end|>');
    expect(Buffer.from(bytesOf(end as Token)).toString()).toBe('<|im_end|>');
    await model.close();
    await rm(folder, { recursive: true });
  });
});
