import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaModel } from '../../../src/engine/native/llama/model.ts';
import { createVocabulary } from '../../../src/engine/native/llama/tokens/vocabulary.ts';
import { PRE_TOKENIZERS } from '../../../src/engine/tokenizer/pre-tokenizers.ts';
import { createTokenizer } from '../../../src/engine/tokenizer/tokenizer.ts';
import { createWasmVocabulary } from '../../../src/engine/wasm/vocabulary.ts';
import { blobBytes } from '../../../src/gguf/blob-bytes.ts';
import { readGgufHeader } from '../../../src/gguf/header.ts';
import { type GgufVocabulary, readVocabulary } from '../../../src/gguf/vocabulary.ts';
import { oddTexts } from '../../kit/files/odd-texts.ts';
import { byteLevelVocabulary, SPECIAL_TEXTS, VOCABULARY_KINDS } from '../../kit/models/vocabulary-kinds.ts';
import { openNativeModel } from '../../kit/native-model.ts';
import { repeats } from '../../support/repeats.ts';

const KINDS = Object.keys(VOCABULARY_KINDS);
const texts = oddTexts(repeats(88, 440), 1, SPECIAL_TEXTS);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-vocabularies-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The same vocabulary, for both engines. */
interface Both {
  blob: Blob;
  native: LlamaModel;
}

async function load(gguf: Uint8Array): Promise<Both> {
  const modelPath = join(folder, 'vocabulary.gguf');
  await writeFile(modelPath, gguf);
  return { blob: new Blob([Buffer.from(gguf)]), native: await openNativeModel(modelPath, { vocab_only: true }) };
}

async function vocabularyOf(blob: Blob): Promise<GgufVocabulary> {
  const source = blobBytes(blob);
  return readVocabulary(source, await readGgufHeader(source));
}

describe.each(KINDS)('a vocabulary of %s', (kind) => {
  let both: Both;
  beforeAll(async () => {
    both = await load((VOCABULARY_KINDS[kind] as () => Uint8Array)());
  });
  afterAll(() => both.native.close());

  it('is cut as llama.cpp cuts it, with special tokens and without', async () => {
    const { encode } = createTokenizer(await vocabularyOf(both.blob));
    for (const special of [true, false]) {
      for (const text of texts)
        expect(encode(text, special), text).toEqual(both.native.tokenizer.tokenize(text, special));
    }
  });

  it('is told as on the native engine: tokens, the text of each, and the text of all', async () => {
    const ours = createWasmVocabulary(both.blob).answers;
    const theirs = createVocabulary(both.native).answers;
    for (const text of texts) {
      const question = { text, addSpecial: true };
      const told = await theirs.tokenize?.(question, undefined);
      expect(await ours.tokenize?.(question, undefined), text).toEqual(told);
      const tokens = told?.tokens ?? [];
      expect(await ours.detokenize?.({ tokens }, undefined), text).toEqual(
        await theirs.detokenize?.({ tokens }, undefined),
      );
    }
  });
});

describe('the words of a byte-level vocabulary', () => {
  it.each(PRE_TOKENIZERS)('are those of llama.cpp, by the rules of %j', async (pre) => {
    const { blob, native } = await load(byteLevelVocabulary(pre));
    const { encode } = createTokenizer(await vocabularyOf(blob));
    for (const text of texts.slice(0, repeats(44, 440)))
      expect(encode(text, true), text).toEqual(native.tokenizer.tokenize(text, true));
    await native.close();
  });
});

describe('a vocabulary of an unknown kind', () => {
  it.each([
    ['gpt2', 'next-years-rules'],
    ['rwkv', ''],
  ])('is refused by its name: %s %s', async (model, pre) => {
    const vocabulary = await vocabularyOf(new Blob([Buffer.from(byteLevelVocabulary('qwen2'))]));
    expect(() => createTokenizer({ ...vocabulary, model, pre })).toThrow(pre || model);
  });
});
