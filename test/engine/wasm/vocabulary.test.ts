import { describe, expect, it } from 'vitest';
import { createWasmVocabulary, mayReach } from '../../../src/engine/wasm/vocabulary.ts';
import { cpuMs } from '../../kit/cpu-ms.ts';
import { byteLevelVocabulary, manySpecialTokens } from '../../kit/models/vocabulary-kinds.ts';

const part = (text: string, literal = false) => [{ text, literal }];
const blobOf = (gguf: Uint8Array) => new Blob([Buffer.from(gguf)]);
const vocabulary = createWasmVocabulary(blobOf(byteLevelVocabulary('qwen2')));

/** A Blob that counts how often it is read. */
function countedBlob(gguf: Uint8Array): { blob: Blob; reads: () => number } {
  const blob = blobOf(gguf);
  let reads = 0;
  const slice = blob.slice.bind(blob);
  blob.slice = (...range) => {
    reads += 1;
    return slice(...range);
  };
  return { blob, reads: () => reads };
}

describe('the vocabulary of a model', () => {
  it('is read when it is first needed, and only once', async () => {
    const { blob, reads } = countedBlob(byteLevelVocabulary('qwen2'));
    const lazy = createWasmVocabulary(blob);
    expect(reads()).toBe(0);
    await lazy.count(part('hello'), 100, undefined);
    const once = reads();
    expect(once).toBeGreaterThan(0);
    await lazy.count(part('hello again'), 100, undefined);
    expect(reads()).toBe(once);
  });

  it('of an unknown kind counts nothing and answers with a 400 that names the kind', async () => {
    const unknown = createWasmVocabulary(blobOf(byteLevelVocabulary('next-years-rules')));
    expect(await unknown.count(part('hello'), 100, undefined)).toBe(0);
    await expect(unknown.answers.tokenize?.({ text: 'a', addSpecial: false }, undefined)).rejects.toMatchObject({
      data: { status: 400, message: expect.stringContaining('next-years-rules') },
    });
    await expect(unknown.textOf([1])).rejects.toMatchObject({ data: { status: 400 } });
  });
});

describe('a prompt', () => {
  it('has the special tokens that it spells, but not those of literal parts', async () => {
    const [special, literal] = [false, true].map((literal) => part('<|im_start|>', literal));
    expect(await vocabulary.count(special ?? [], 100, undefined)).toBe(1);
    expect(await vocabulary.count(literal ?? [], 100, undefined)).toBeGreaterThan(4);
  });

  it.each([
    ['words', 'word and word '],
    ['one endless word', 'a'],
    ['the beginnings of special tokens', '<|im_'],
    ['spaces', ' '],
  ])('of ten million characters is not counted to its end: %s', { tags: 'slow' }, async (_, unit) => {
    const text = unit.repeat(Math.ceil(10_000_000 / unit.length));
    const started = cpuMs();
    const counted = await vocabulary.count(part(text), 512, undefined);
    expect(cpuMs() - started).toBeLessThan(20_000);
    expect(counted).toBeGreaterThan(100_000);
  });

  it('is not slowed down by the number of special tokens', { tags: 'slow' }, async () => {
    const many = createWasmVocabulary(blobOf(manySpecialTokens(15_000)));
    await many.count(part('a'), 100, undefined);
    const started = cpuMs();
    const text = '<|reserved_'.repeat(2500);
    expect(await many.count(part(text), 1_000_000, undefined)).toBeGreaterThan(2500);
    expect(cpuMs() - started).toBeLessThan(5000);
  });

  it('lets others have their turn while it is counted, and stops when nobody waits for it', async () => {
    const gone = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) gone.abort();
    }, 0);
    expect(await vocabulary.count(part('word '.repeat(400_000)), 10_000_000, gone.signal)).toBe(0);
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

describe('token ids', () => {
  it('are the text of which the same ids come again', async () => {
    const text = 'hello <|im_start|>you';
    const tokens = (await vocabulary.answers.tokenize?.({ text, addSpecial: false }, undefined))?.tokens ?? [];
    expect(await vocabulary.textOf(tokens)).toBe(text);
  });

  it('are refused when no text has them', async () => {
    const { tokens } = (await vocabulary.answers.tokenize?.({ text: '好', addSpecial: false }, undefined)) ?? {
      tokens: [],
    };
    await expect(vocabulary.textOf(tokens.slice(0, 1))).rejects.toMatchObject({
      data: { status: 400, code: 'unsupported_parameter', param: 'prompt' },
    });
  });
});

describe('the length of a text', () => {
  it.each([
    ['a short one', 'hello', 100, false],
    ['as many letters as tokens', 'a'.repeat(100), 100, true],
    ['fewer letters, but of three bytes', '好'.repeat(40), 100, true],
    ['few enough, also in bytes', '好'.repeat(30), 100, false],
    ['letters whose bytes must be counted', 'é'.repeat(47), 100, false],
  ])('tells whether it may have so many tokens: %s', (_, text, tokens, may) => {
    expect(mayReach(part(text), tokens)).toBe(may);
  });
});
