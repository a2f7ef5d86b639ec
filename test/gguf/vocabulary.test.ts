import { describe, expect, it } from 'vitest';
import { blobBytes } from '../../src/gguf/blob-bytes.ts';
import { readGgufHeader } from '../../src/gguf/header.ts';
import { readVocabulary } from '../../src/gguf/vocabulary.ts';
import { bytes, float32s, type GgufEntries, ggufChunks, int32s, text, texts } from '../kit/models/gguf-writer.ts';

async function read(entries: GgufEntries) {
  const source = blobBytes(new Blob([Buffer.concat([...ggufChunks(entries, [])])]));
  return readVocabulary(source, await readGgufHeader(source));
}

/** A vocabulary of so many tokens. The header keeps short lists itself, and of long ones only their place. */
function entriesOf(size: number): GgufEntries {
  const items = Array.from({ length: size }, (_, index) => index);
  return {
    'tokenizer.ggml.model': text('t5'),
    'tokenizer.ggml.pre': text('default'),
    'tokenizer.ggml.tokens': texts(items.map((index) => `▁é${index}`)),
    'tokenizer.ggml.token_type': int32s(items.map((index) => 1 + (index % 6))),
    'tokenizer.ggml.scores': float32s(items.map((index) => -index / 2)),
    'tokenizer.ggml.merges': texts(items.map((index) => `${index} ${index}`)),
    'tokenizer.ggml.precompiled_charsmap': bytes(items.map((index) => index % 256)),
  };
}

describe('a vocabulary', () => {
  it.each([3, 256, 257, 5000])('of %d tokens is read whole, lists of every type', async (size) => {
    const { fields: _, ...vocabulary } = await read(entriesOf(size));
    const items = Array.from({ length: size }, (_, index) => index);
    expect(vocabulary).toEqual({
      model: 't5',
      pre: 'default',
      tokens: items.map((index) => `▁é${index}`),
      types: items.map((index) => 1 + (index % 6)),
      scores: items.map((index) => -index / 2),
      merges: items.map((index) => `${index} ${index}`),
      charsmap: items.map((index) => ((index % 256) << 24) >> 24),
    });
  });

  it('may lack everything but its tokens', async () => {
    const vocabulary = await read({ 'tokenizer.ggml.tokens': texts(['a']) });
    expect(vocabulary).toMatchObject({ model: '', pre: '', tokens: ['a'], types: [], scores: [], merges: [] });
    expect(vocabulary.fields.boolean('tokenizer.ggml.add_bos_token')).toBeUndefined();
  });
});
