import { describe, expect, it } from 'vitest';
import { readGgufHeader } from '../../src/gguf/header.ts';
import { readSpecialTokens } from '../../src/gguf/special-tokens.ts';
import { headerBytes } from '../catalogue/node/fixtures.ts';
import { type GgufEntries, texts, uint32 } from '../kit/models/gguf-writer.ts';
import { inMemory } from './fixtures.ts';

/** A vocabulary in which token 7 is "<7>". */
function vocabulary(length: number): GgufEntries {
  return { 'tokenizer.ggml.tokens': texts(Array.from({ length }, (_, id) => `<${id}>`)) };
}

function ids(named: Record<string, number>): GgufEntries {
  return Object.fromEntries(Object.entries(named).map(([name, id]) => [`tokenizer.ggml.${name}_token_id`, uint32(id)]));
}

async function tokensOf(entries: GgufEntries) {
  const source = inMemory(headerBytes(entries, []));
  return readSpecialTokens(source, await readGgufHeader(source));
}

describe('the special tokens of a GGUF', () => {
  it.each([100, 60_000])('are found in a vocabulary of %i tokens', async (length) => {
    const last = length - 1;
    const entries = { ...vocabulary(length), ...ids({ bos: last, eos: 7, fim_pre: 0, fim_suf: 50, fim_mid: 51 }) };
    expect(await tokensOf(entries)).toEqual({
      bos: `<${last}>`,
      eos: '<7>',
      infill: { prefix: '<0>', suffix: '<50>', middle: '<51>' },
    });
  });

  it('may be the same token', async () => {
    expect(await tokensOf({ ...vocabulary(1000), ...ids({ bos: 3, eos: 3 }) })).toMatchObject({
      bos: '<3>',
      eos: '<3>',
    });
  });

  it('are empty if the header names none or an id that does not exist', async () => {
    const none = { bos: '', eos: '', infill: null };
    expect(await tokensOf(vocabulary(1000))).toEqual(none);
    expect(await tokensOf({ ...vocabulary(1000), ...ids({ bos: 1000 }) })).toEqual(none);
    expect(await tokensOf(ids({ bos: 1 }))).toEqual(none);
  });

  it('allow infilling only if all three of its tokens exist', async () => {
    expect(await tokensOf({ ...vocabulary(1000), ...ids({ fim_pre: 1, fim_suf: 2 }) })).toMatchObject({ infill: null });
  });
});
