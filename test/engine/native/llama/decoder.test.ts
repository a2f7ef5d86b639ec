import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineOptions } from '../../../../src/engine/engine.ts';
import { readAllowed, readTokens, readWeight } from '../../../../src/engine/native/draw/read-logits.ts';
import { createCandidates } from '../../../../src/engine/native/llama/candidates.ts';
import { openContext, PassAborted } from '../../../../src/engine/native/llama/context.ts';
import { createDecoder, type Decoder } from '../../../../src/engine/native/llama/decoder.ts';
import { createGrammarGate } from '../../../../src/engine/native/llama/grammar.ts';
import { createGrowingContext } from '../../../../src/engine/native/llama/growing-context.ts';
import type { PassShape } from '../../../../src/engine/native/llama/micro-batches.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import { createSequence } from '../../../../src/engine/native/llama/sequence.ts';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import { createRankingPrompt } from '../../../../src/engine/native/ranking-prompt.ts';
import { silentLog } from '../../../kit/log.ts';
import { writeRerankModel } from '../../../kit/models/embedding-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

const SLOTS = 8;

let folder: string;
let model: LlamaModel;
let decoder: Decoder;
/** A decoder whose sequences have a cache each, as on a GPU and without Paddock's kernels. */
let apart: Decoder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-private-'));
  const options: EngineOptions = {
    files: [join(inject('modelsFolder'), 'tiny.gguf')],
    kind: 'chat',
    contextLength: 256,
    slots: SLOTS,
    threads: 1,
    batchSize: 64,
  };
  model = await openNativeModel(options.files[0] ?? '');
  decoder = createDecoder(await createGrowingContext(model, options, false, silentLog), model);
  const without = { ...options, flashAttention: false };
  apart = createDecoder(await createGrowingContext(model, without, false, silentLog), model);
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

function tokensOf(text: string): Token[] {
  return model.tokenizer.tokenize(text, false);
}

/** Evaluates tokens at the beginning of an empty sequence, and reads the two highest logits after the last. */
async function highestAfter(tokens: Token[], sequence = 0, by = decoder) {
  await by.truncate(sequence, 0);
  const part = { sequence, at: 0, tokens, logitsAt: [tokens.length - 1] };
  const [[place = -1] = []] = await by.decode([part], 1);
  return by.highestAt(place, 2);
}

describe('a decoder', () => {
  it('evaluates the tokens of several sequences in one pass, with logits where they are asked for', async () => {
    const texts = ['one', 'another text', 'a third'].map(tokensOf);
    const alone = [];
    for (const tokens of texts) alone.push(await highestAfter(tokens));
    for (const [sequence] of texts.entries()) await decoder.truncate(sequence, 0);
    const parts = texts.map((tokens, sequence) => ({ sequence, at: 0, tokens, logitsAt: [0, tokens.length - 1] }));
    const places = await decoder.decode(parts, 1);
    expect(places.map(({ length }) => length)).toEqual([2, 2, 2]);
    for (const [index, [, last = -1]] of places.entries()) {
      const { tokens, logits } = decoder.highestAt(last, 2);
      expect(tokens).toEqual(alone[index]?.tokens);
      expect(logits[0]).toBeCloseTo(alone[index]?.logits[0] ?? 0, 3);
    }
  });

  it('finds the highest logits in the pass itself, for as many places as are read and by several threads', async () => {
    await using context = await openContext(model, { contextLength: 64, sequences: SLOTS, batchSize: 64, threads: 4 });
    if (!context) throw new Error('there is no context');
    const read = async (highest: number | undefined) => {
      for (let sequence = 0; sequence < SLOTS; sequence++) context.remove(sequence, 0);
      const parts = Array.from({ length: SLOTS }, (_, sequence) => ({
        ...{ sequence, at: 0, tokens: [1, 2, 3 + sequence], logitsAt: [0, 2] },
        ...(highest !== undefined && { highest: highest + sequence }),
      }));
      const places = (await context.decode(parts)).flat();
      return [5, 1, 40].map((count) => places.map((place) => context.highestAt(place, count)));
    };
    const expected = await read(undefined);
    expect(expected[0]?.map(({ tokens }) => tokens.length)).toEqual(Array(2 * SLOTS).fill(5));
    for (const highest of [5, 39, model.tokenizer.size]) expect(await read(highest)).toEqual(expected);
  });

  it('saves a sequence to a file, and loads it into another one', async () => {
    const tokens = tokensOf('what was read once is never read again');
    const expected = await highestAfter(tokens);
    const path = join(folder, 'state');
    await highestAfter(tokens.slice(0, -1));
    const { bytes } = await decoder.save(0, path);
    expect((await stat(path)).size).toBe(bytes);
    await appendFile(path, 'what Paddock writes after it');
    await decoder.truncate(1, 0);
    expect(await decoder.load(1, path, tokens.length - 1)).toBe(true);
    const part = { sequence: 1, at: tokens.length - 1, tokens: tokens.slice(-1), logitsAt: [0] };
    const [[place = -1] = []] = await decoder.decode([part], 1);
    expect(decoder.highestAt(place, 2)).toEqual(expected);
  });

  it('drops the end of a sequence, and goes on from there', async () => {
    const sequence = createSequence(decoder, 0);
    const [tokens, other] = [tokensOf('a text to go on with'), tokensOf('something else')];
    const whole = await highestAfter([...tokens, ...other]);
    await highestAfter([...tokens, ...tokens]);
    sequence.extend([...tokens, ...tokens]);
    await sequence.truncate(tokens.length);
    expect(sequence.tokens).toEqual(tokens);
    const part = { sequence: 0, at: sequence.length, tokens: other, logitsAt: [other.length - 1] };
    const [[place = -1] = []] = await decoder.decode([part], 1);
    expect(decoder.highestAt(place, 2).tokens).toEqual(whole.tokens);
  });

  it('aborts a forward pass, and goes on from the tokens before it', async () => {
    const sequence = createSequence(decoder, 0);
    const [tokens, more] = [tokensOf('a text to go on with'), tokensOf('something else')];
    const whole = await highestAfter([...tokens, ...more]);
    await sequence.truncate(0);
    await highestAfter(tokens);
    sequence.extend(tokens);
    const part = { sequence: 0, at: tokens.length, tokens: more, logitsAt: [more.length - 1] };
    await expect(decoder.decode([part], 1, { signal: AbortSignal.abort() })).rejects.toThrow(PassAborted);
    await sequence.undo();
    expect(sequence.length).toBe(tokens.length);
    const [[place = -1] = []] = await decoder.decode([part], 1);
    expect(decoder.highestAt(place, 2)).toEqual(whole);
  });

  it("copies one sequence's KV cache into another", async () => {
    const [from, to] = [createSequence(decoder, 0), createSequence(decoder, 1)];
    const tokens = tokensOf('a beginning that two slots share');
    await highestAfter(tokens);
    from.extend(tokens);
    const next = tokensOf('with more');
    await to.copyFrom(from, tokens.length - 1);
    expect(to.tokens).toEqual(tokens.slice(0, -1));
    const expected = await highestAfter([...tokens.slice(0, -1), ...next], 2);
    const part = { sequence: 1, at: to.length, tokens: next, logitsAt: [next.length - 1] };
    const [[place = -1] = []] = await decoder.decode([part], 1);
    expect(decoder.highestAt(place, 2).tokens).toEqual(expected.tokens);
  });

  it('gives the highest raw logits, and the weight of the whole vocabulary', async () => {
    const tokens = tokensOf('some text');
    await decoder.truncate(0, 0);
    const [[place = -1] = []] = await decoder.decode(
      [{ sequence: 0, at: 0, tokens, logitsAt: [tokens.length - 1] }],
      1,
    );
    const all = decoder.highestAt(place, model.tokenizer.size);
    expect(all.logits).toEqual(all.logits.toSorted((a, b) => b - a));
    const few = decoder.highestAt(place, 5);
    expect(few).toEqual({ tokens: all.tokens.slice(0, 5), logits: all.logits.slice(0, 5) });
    const worst = all.tokens.at(-1) ?? 0;
    expect(readTokens(decoder, place, [worst])).toEqual({ tokens: [worst], logits: all.logits.slice(-1) });
    const weight = all.logits.reduce((sum, logit) => sum + Math.exp(logit - (all.logits[0] ?? 0)), 0);
    expect(readWeight(decoder, place, all.logits[0] ?? 0) / weight).toBeCloseTo(1, 4);
  });

  it('gives the highest logits of the tokens that a grammar allows, and leaves its state', async () => {
    const gate = createGrammarGate(model, 'root ::= [ab] "c"');
    const [a, b, c] = [...tokensOf('a'), ...tokensOf('b'), ...tokensOf('c')] as [Token, Token, Token];
    const tokens = tokensOf('some text');
    await decoder.truncate(0, 0);
    const [[place = -1] = []] = await decoder.decode(
      [{ sequence: 0, at: 0, tokens, logitsAt: [tokens.length - 1] }],
      1,
    );
    const allowed = () =>
      readAllowed(decoder, place, 40, gate, createCandidates(model.tokenizer.size), async () => null);
    const first = await allowed();
    expect(first.tokens).toEqual(expect.arrayContaining([a, b]));
    expect(await allowed()).toEqual(first);
    gate.accept(a);
    const second = await allowed();
    expect(second.tokens).toContain(c);
    expect(second.tokens).not.toContain(b);
  });

  it('says of a token whether a grammar allows it next', async () => {
    const gate = createGrammarGate(model, 'root ::= "ab"');
    const [a, b] = [...tokensOf('a'), ...tokensOf('b')] as [Token, Token];
    expect([gate.allows(a), gate.allows(b)]).toEqual([true, false]);
    gate.accept(a);
    expect([gate.allows(a), gate.allows(b)]).toEqual([false, true]);
  });

  it('separates query and document where the header asks for it', async () => {
    const modelPath = join(folder, 'separated.gguf');
    writeRerankModel(modelPath, { separator: true });
    const ranking = await openNativeModel(modelPath);
    const prompt = createRankingPrompt(ranking)('query', 'document');
    expect(ranking.tokenizer.marks.sep).not.toBeNull();
    expect(prompt).toContain(ranking.tokenizer.marks.sep);
    await ranking.close();
  });
});

describe('a context', () => {
  it('refuses a pass with the logits of more tokens than it has memory for, and goes on', async () => {
    const context = await openContext(model, {
      contextLength: 64,
      sequences: 1,
      batchSize: 32,
      outputs: 2,
      threads: 1,
    });
    if (!context) throw new Error(model.library.takeError());
    model.own(context);
    const part = (logitsAt: number[]) => [{ sequence: 0, at: 0, tokens: [1, 2, 3], logitsAt }];
    await expect(context.decode(part([0, 1, 2]))).rejects.toThrow('the logits of 2 tokens at most');
    expect(await context.decode(part([1, 2]))).toEqual([[1, 2]]);
  });

  it('has memory for the logits of a token and its guess in each sequence, and no more than a batch', () => {
    expect(decoder.outputs).toBe(64 / SLOTS);
  });
});

describe('a decoder whose sequences have a cache each', () => {
  it('fills gaps between sequences, and leaves those that fill them as they were', async () => {
    const tokens = tokensOf('a text that is long enough to be compared');
    const next = tokensOf('more');
    const expected = await highestAfter([...tokens, ...next], 0, apart);
    for (const sequence of [0, 1, 2]) await highestAfter(tokens, sequence, apart);
    await apart.truncate(3, 0);
    const part = (sequence: number) => ({ sequence, at: tokens.length, tokens: next, logitsAt: [next.length - 1] });
    const shapes: PassShape[] = [];
    const asOneRun = (shape: PassShape) => {
      shapes.push(shape);
      return [{ from: 0, to: 4 }];
    };
    const places = await apart.decode([part(2), part(0)], 1, { arrange: asOneRun });
    expect(shapes[0]?.widths.slice(0, 4)).toEqual([next.length, 0, next.length, 0]);
    expect(shapes[0]?.mayFill.slice(0, 4)).toEqual([false, true, false, true]);
    for (const [place = -1] of places) expect(apart.highestAt(place, 2).tokens).toEqual(expected.tokens);

    const [[place = -1] = []] = await apart.decode([part(1)], 1);
    expect(apart.highestAt(place, 2).tokens).toEqual(expected.tokens);
    expect((await highestAfter([...tokens, ...next], 3, apart)).tokens).toEqual(expected.tokens);
  });

  it('fills no gap with a sequence that is longer than those that bring something, nor with one that is full', async () => {
    await highestAfter(tokensOf('a text of some more tokens than the other'), 1, apart);
    await apart.truncate(2, 0);
    await apart.decode([{ sequence: 2, at: 0, tokens: Array(60).fill(1), logitsAt: [] }], 1);
    const mayFill = async (at: number, tokens: Token[]) => {
      let shape: PassShape | undefined;
      await apart.truncate(0, at);
      const arrange = (seen: PassShape) => {
        shape = seen;
        return [{ from: 0, to: 1 }];
      };
      await apart.decode([{ sequence: 0, at, tokens, logitsAt: [] }], 1, { arrange });
      return shape?.mayFill.slice(1, 3);
    };
    expect(await mayFill(0, tokensOf('short'))).toEqual([false, false]);
    expect(await mayFill(0, Array(50).fill(1))).toEqual([true, false]);
  });

  it('pads parts to one width, with the same logits after them, and holds no more than their own tokens', async () => {
    const texts = ['one', 'another text', 'a third one that is longer'].map(tokensOf);
    const alone = [];
    for (const tokens of texts) alone.push(await highestAfter(tokens, 3, apart));
    const widest = Math.max(...texts.map(({ length }) => length));
    for (const [sequence] of texts.entries()) await apart.truncate(sequence, 0);
    const parts = texts.map((tokens, sequence) => ({ sequence, at: 0, tokens, logitsAt: [tokens.length - 1] }));
    const places = await apart.decode(parts, 1, { arrange: () => [{ from: 0, to: 3, width: widest }] });
    for (const [index, [place = -1]] of places.entries())
      expect(apart.highestAt(place, 2).tokens).toEqual(alone[index]?.tokens);

    // The next tokens follow the text, and not the padding.
    for (const [sequence, tokens] of texts.entries()) {
      expect(await apart.reaches(sequence, tokens.length)).toBe(true);
      const more = { sequence, at: tokens.length, tokens: tokensOf('more'), logitsAt: [0] };
      const [[place = -1] = []] = await apart.decode([more], 1);
      const { tokens: expected } = apart.highestAt(place, 2);
      const whole = [...tokens, ...tokensOf('more').slice(0, 1)];
      expect((await highestAfter(whole, 3, apart)).tokens).toEqual(expected);
    }
  });

  it('has the next pass copy the bytes of a sequence', async () => {
    const tokens = tokensOf('a beginning that two slots copy');
    await highestAfter(tokens, 0, apart);
    await apart.copy(0, 1, tokens.length);
    expect([0, 1].map((sequence) => apart.settled(sequence))).toEqual([false, false]);
    await highestAfter(tokens, 2, apart);
    expect([0, 1].map((sequence) => apart.settled(sequence))).toEqual([true, true]);
  });
});

describe('a decoder whose sequences share one cache', () => {
  let shared: Decoder;
  beforeAll(async () => {
    const options = { contextLength: 1024, sequences: SLOTS, batchSize: 64, threads: 2, unified: true };
    const context = await openContext(model, options);
    if (!context) throw new Error('there is no context');
    model.own(context);
    const { room } = context;
    const sizes = { room, contextLength: room, cacheLength: room, bytes: 0 };
    const unused = { grow: async () => {}, expand: async () => false, hold: () => () => {} };
    shared = createDecoder({ ...sizes, ...unused, context }, model);
  });

  it('computes what it computes for each sequence alone, however many tokens each has and in any order', async () => {
    const texts = ['one', 'another text of more tokens', 'a third', 'of a fourth there is more'].map(tokensOf);
    const alone = [];
    for (const tokens of texts) alone.push((await highestAfter(tokens, 0, shared)).tokens);
    // Their cells lie between one another.
    const most = Math.max(...texts.map(({ length }) => length));
    const found = new Map<number, readonly Token[]>();
    for (const sequence of texts.keys()) await shared.truncate(sequence, 0);
    for (let at = 0; at < most; at += 2) {
      const parts = [...texts.entries()]
        .map(([sequence, all]) => ({ sequence, at, tokens: all.slice(at, at + 2), end: at + 2 >= all.length }))
        .filter(({ tokens }) => tokens.length > 0)
        .reverse();
      const places = await shared.decode(
        parts.map(({ tokens, ...part }) => ({ ...part, tokens, logitsAt: [tokens.length - 1] })),
        2,
      );
      for (const [index, { sequence, end }] of parts.entries())
        if (end) found.set(sequence, shared.highestAt(places[index]?.[0] ?? -1, 2).tokens);
    }
    expect(texts.map((_, sequence) => found.get(sequence))).toEqual(alone);
  });

  it('shares the cells of a copy, which may go on and be dropped by itself', async () => {
    const [beginning, next] = ['a beginning that two slots share', 'with more'].map(tokensOf);
    const [one, other] = [0, 1];
    const expected = await highestAfter([...(beginning ?? []), ...(next ?? [])], one, shared);
    await highestAfter(beginning ?? [], one, shared);
    const { length = 0 } = beginning ?? [];
    expect(await shared.copy(one, other, length - 1)).toBe(length - 1);
    expect(shared.settled(one) && shared.settled(other)).toBe(true);
    await shared.truncate(one, 0);
    const tokens = [...(beginning ?? []).slice(-1), ...(next ?? [])];
    const part = { sequence: other, at: length - 1, tokens, logitsAt: [tokens.length - 1] };
    const [[place = -1] = []] = await shared.decode([part], 1);
    expect(shared.highestAt(place, 2).tokens).toEqual(expected.tokens);
  });
});
