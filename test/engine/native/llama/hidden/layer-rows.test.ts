import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextOptions } from '../../../../../src/engine/native/llama/context/params.ts';
import { type LlamaContext, openContext } from '../../../../../src/engine/native/llama/context.ts';
import type { LlamaModel } from '../../../../../src/engine/native/llama/model.ts';
import type { Part } from '../../../../../src/engine/native/llama/pass-order.ts';
import {
  type Eagle3DraftOptions,
  writeEagle3Draft,
  writeEagle3Target,
} from '../../../../kit/models/draft-heads/eagle3-model.ts';
import { tinyTensors, WIDTH } from '../../../../kit/models/tiny-weights.ts';
import { makeVocabulary } from '../../../../kit/models/vocabulary.ts';
import { openNativeModel } from '../../../../kit/native-model.ts';

// The first layer writes the text, and the others add nothing. The draft model guesses all tokens right.

const LAYERS = 4;
const TARGET_LAYERS = [0, 1, 3];

let folder: string;
let target: LlamaModel;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-layer-rows-'));
  writeEagle3Target(join(folder, 'target.gguf'), { layers: LAYERS });
  target = await openNativeModel(join(folder, 'target.gguf'));
});
afterAll(async () => {
  await target.close();
  await rm(folder, { recursive: true });
});

const SIZES = { contextLength: 256, sequences: 3, batchSize: 64, threads: 1, unified: true, flashAttention: true };

async function open(model: LlamaModel, part: Partial<ContextOptions>): Promise<LlamaContext> {
  const context = await openContext(model, { ...SIZES, ...part });
  if (!context) throw new Error(model.library.takeError());
  model.own(context);
  return context;
}

const tokensOf = (text: string) => target.tokenizer.tokenize(text, false);
const partOf = (sequence: number, tokens: number[], at = 0): Part => ({ sequence, at, tokens, logitsAt: [] });
const ofLast = (part: Part): Part => ({ ...part, logitsAt: [part.tokens.length - 1], highest: 1 });

/** Returns the rows of a list of tokens as lists of numbers. */
const listed = (rows: Float32Array | undefined, width: number) =>
  Array.from({ length: (rows?.length ?? 0) / width }, (_, index) => [
    ...(rows?.slice(index * width, (index + 1) * width) ?? []),
  ]);

/** Returns the embeddings of tokens. */
function embeddingsOf(tokens: number[]): number[][] {
  const [embedding] = tinyTensors(makeVocabulary(), 1);
  const bytes = Buffer.concat([...(embedding?.chunks() ?? [])]);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return tokens.map((token) => [...all.slice(token * WIDTH, (token + 1) * WIDTH)]);
}

describe('hidden rows of several layers', () => {
  it('have the inputs of each of them, for all tokens of a pass', async () => {
    const context = await open(target, { gives: TARGET_LAYERS });
    const tokens = tokensOf('one two three');
    await context.decode([partOf(0, tokens)]);
    expect(context.hidden?.width).toBe(3 * WIDTH);
    const rows = listed(context.hidden?.at(0, tokens.length), 3 * WIDTH);
    expect(rows.map((row) => row.slice(0, WIDTH))).toEqual(embeddingsOf(tokens));
    const written = rows.map((row) => row.slice(WIDTH, 2 * WIDTH));
    expect(new Set(written.flat().map(Math.abs))).toEqual(new Set([2 ** 7]));
    expect(new Set(written.map(String)).size).toBeGreaterThan(3);
    expect(rows.map((row) => row.slice(2 * WIDTH))).toEqual(written);
  });

  it('lie in the order of the tokens in passes of several sequences and several micro-batches', async () => {
    const context = await open(target, { gives: TARGET_LAYERS, microBatch: 4 });
    const texts = ['some more words', 'one two three'].map(tokensOf);
    await context.decode(texts.map((tokens, sequence) => partOf(sequence, tokens)));
    const place = texts[0]?.length ?? 0;
    const [, other = []] = texts;
    const rows = listed(context.hidden?.at(place, other.length), 3 * WIDTH);
    expect(rows.map((row) => row.slice(0, WIDTH))).toEqual(embeddingsOf(other));
    context.remove(1, 0);
    await context.decode([partOf(1, other)]);
    expect(listed(context.hidden?.at(0, other.length), 3 * WIDTH)).toEqual(rows);
  });

  it('are given again after passes that gave none', async () => {
    const context = await open(target, { gives: TARGET_LAYERS });
    const tokens = tokensOf('one two');
    await context.decode([partOf(0, tokens)]);
    const rows = [...(context.hidden?.at(0, tokens.length) ?? [])];
    context.hidden?.give(false);
    context.remove(0, 0);
    await context.decode([partOf(0, tokensOf('other words'))]);
    context.hidden?.give(true);
    context.remove(0, 0);
    await context.decode([partOf(0, tokens)]);
    expect([...(context.hidden?.at(0, tokens.length) ?? [])]).toEqual(rows);
  });
});

describe('an EAGLE-3 draft model', () => {
  /** Writes `count` tokens after a text. Resolves to all tokens, and to the hidden row of each but the last. */
  async function write(text: string, count: number) {
    const main = await open(target, { gives: TARGET_LAYERS });
    const tokens = tokensOf(text);
    const rows: number[] = [];
    for (let next = tokens; rows.length < (tokensOf(text).length + count - 1) * 3 * WIDTH; ) {
      const [[place = -1] = []] = await main.decode([ofLast(partOf(0, next, tokens.length - next.length))]);
      rows.push(...(main.hidden?.at(place - next.length + 1, next.length) ?? []));
      next = main.highestAt(place, 1).tokens;
      tokens.push(...next);
    }
    return { tokens, rows: Float32Array.from(rows), main };
  }

  async function openDraft(options: Eagle3DraftOptions, from: LlamaContext) {
    const file = join(folder, 'draft.gguf');
    writeEagle3Draft(file, { targetLayers: TARGET_LAYERS, ...options });
    const model = await openNativeModel(file);
    const context = await open(model, { guesses: 'eagle3', target: from.handle });
    return { model, context };
  }

  it('encodes hidden rows of its target', async () => {
    const { tokens, rows, main } = await write('one two three', 2);
    const { model, context } = await openDraft({}, main);
    const count = tokens.length - 1;
    const encoded = listed(await context.encode?.(rows, count, false), WIDTH);
    const wanted = listed(rows, 3 * WIDTH).map((row) =>
      row
        .slice(0, WIDTH)
        .map(
          (value, index) => 2 ** 26 * value + 0.5 * (row[WIDTH + index] ?? 0) + 0.25 * (row[2 * WIDTH + index] ?? 0),
        ),
    );
    expect(encoded).toEqual(wanted);
    expect(listed(await context.encode?.(rows.subarray(3 * WIDTH), 1, true), WIDTH)).toEqual(wanted.slice(1, 2));
    await model.close();
  });

  it('gives the logits of a vocabulary of its own as those of the same tokens of its target, and none for others', async () => {
    const { tokens, rows, main } = await write('one two three', 4);
    const vocabulary = [...makeVocabulary().tokens.keys()].slice(20);
    const logits: Float32Array[] = [];
    for (const options of [{}, { vocabulary }]) {
      const { model, context } = await openDraft(options, main);
      const hidden = await context.encode?.(rows, tokens.length - 1, false);
      const part = { ...partOf(0, tokens.slice(1)), logitsAt: [...tokens.slice(1).keys()], ...(hidden && { hidden }) };
      const [places = []] = await context.decode([part]);
      logits.push(...places.map((place) => Float32Array.from(context.logitsAt(place))));
      await model.close();
    }
    const count = tokens.length - 1;
    for (const [index, whole] of logits.slice(0, count).entries()) {
      const own = logits[count + index];
      expect(own?.subarray(20)).toEqual(whole.subarray(20));
      expect(new Set(own?.subarray(0, 20))).toEqual(new Set([Number.NEGATIVE_INFINITY]));
    }
  });

  it.each<[string, Eagle3DraftOptions]>([
    ['with weights of its own', {}],
    ['with the embeddings of its target', { lacks: 'token_embd.weight' }],
    ['with the output layer of its target', { lacks: 'output.weight' }],
    ['with a vocabulary of its own', { vocabulary: [...makeVocabulary().tokens.keys()].slice(20) }],
  ])('guesses the token after next from a token and the row before it, %s', async (_, options) => {
    const { tokens, rows, main } = await write('one two three', 10);
    const { model, context } = await openDraft(options, main);
    const encoded = await context.encode?.(rows, tokens.length - 1, false);
    const guessed: number[] = [];
    for (let at = 1; at < tokens.length - 1; at++) {
      const hidden = encoded?.slice((at - 1) * WIDTH, at * WIDTH) ?? new Float32Array();
      const [[place = -1] = []] = await context.decode([
        { ...ofLast(partOf(0, tokens.slice(at, at + 1), at - 1)), hidden },
      ]);
      guessed.push(...context.highestAt(place, 1).tokens);
      expect(context.hidden?.at(place, 1)).toHaveLength(WIDTH);
    }
    const prompt = tokensOf('one two three').length;
    expect(guessed.slice(prompt - 2)).toEqual(tokens.slice(prompt));
    await model.close();
  });
});
