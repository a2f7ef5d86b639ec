import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextOptions } from '../../../../../src/engine/native/llama/context/params.ts';
import { type LlamaContext, openContext } from '../../../../../src/engine/native/llama/context.ts';
import { openHiddenRows } from '../../../../../src/engine/native/llama/hidden/hidden-rows.ts';
import type { LlamaModel } from '../../../../../src/engine/native/llama/model.ts';
import type { Part } from '../../../../../src/engine/native/llama/pass-order.ts';
import { writeMtpModel } from '../../../../kit/models/draft-heads/mtp-model.ts';
import { openNativeModel } from '../../../../kit/native-model.ts';

// The model's MTP layer guesses all tokens right, if its cache holds all tokens before them.

/** The numbers of a row are 1 or -1, apart from what is rounded. */
const ROUNDING = 1e-4;

let folder: string;
let model: LlamaModel;
let main: LlamaContext;
let mtp: LlamaContext;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-mtp-'));
  writeMtpModel(join(folder, 'mtp.gguf'), { layers: 2 });
  model = await openNativeModel(join(folder, 'mtp.gguf'), { load_mtp: true });
  main = await open({ gives: ['output'] });
  mtp = await open({ guesses: 'mtp' });
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

async function open(part: Partial<ContextOptions>): Promise<LlamaContext> {
  const options = { contextLength: 256, sequences: 3, batchSize: 64, threads: 1, unified: true, flashAttention: true };
  const context = await openContext(model, { ...options, ...part });
  if (!context) throw new Error(model.library.takeError());
  model.own(context);
  return context;
}

const tokensOf = (text: string) => model.tokenizer.tokenize(text, false);
const partOf = (sequence: number, tokens: number[], at = 0): Part => ({ sequence, at, tokens, logitsAt: [] });
const ofLast = (part: Part): Part => ({ ...part, logitsAt: [part.tokens.length - 1], highest: 1 });

/** Writes `count` tokens after a prompt, one after the other. Resolves to all tokens, and to the hidden row of each but the last. */
async function write(sequence: number, prompt: number[], count: number) {
  main.remove(sequence, 0);
  const tokens = [...prompt];
  const rows: number[] = [];
  for (let next = prompt; tokens.length < prompt.length + count; ) {
    const at = tokens.length - next.length;
    const [[place = -1] = []] = await main.decode([ofLast(partOf(sequence, next, at))]);
    rows.push(...(main.hidden?.at(place - next.length + 1, next.length) ?? []));
    next = main.highestAt(place, 1).tokens;
    tokens.push(...next);
  }
  return { tokens, rows };
}

describe('hidden rows', () => {
  it('are the outputs of the last layer, of all tokens of a pass', async () => {
    const tokens = tokensOf('one two three');
    await main.decode([partOf(0, tokens)]);
    const rows = main.hidden?.at(0, tokens.length) ?? new Float32Array();
    const embedding = await open({ output: 'embedding' });
    for (const [index, token] of tokens.entries()) {
      await embedding.decode([{ sequence: 0, at: index, tokens: [token], logitsAt: [0] }]);
      const row = rows.slice(index * model.hiddenWidth, (index + 1) * model.hiddenWidth);
      const wanted = embedding.outputOf(0);
      const distance = Math.max(...row.map((value, place) => Math.abs(value - (wanted[place] ?? 0))));
      expect(distance).toBeLessThan(ROUNDING);
    }
    expect(new Set(rows).size).toBeGreaterThan(1);
    main.remove(0, 0);
  });

  it('lie in the order of the parts, whichever logits are asked for', async () => {
    const texts = ['one two three', 'a', 'some words'].map(tokensOf);
    const parts = texts.map((tokens, sequence) => partOf(sequence, tokens));
    await main.decode([parts[2], ofLast(parts[0] ?? partOf(0, [])), parts[1]].flatMap((part) => part ?? []));
    const together = main.hidden?.at(0, texts.flat().length);
    const alone: number[] = [];
    for (const sequence of [2, 0, 1]) {
      main.remove(sequence, 0);
      await main.decode([partOf(sequence, texts[sequence] ?? [])]);
      alone.push(...(main.hidden?.at(0, texts[sequence]?.length ?? 0) ?? []));
    }
    expect(together).toHaveLength(alone.length);
    expect(Math.max(...alone.map((value, index) => Math.abs(value - (together?.[index] ?? 0))))).toBeLessThan(ROUNDING);
    for (const sequence of [0, 1, 2]) main.remove(sequence, 0);
  });

  it('are refused where the libraries lack the functions for them', () => {
    const refused = () => openHiddenRows({ ...model.library, hidden: null }, ['output'], 4, () => 0n);
    expect(refused).toThrow('no functions for hidden rows');
  });
});

describe('a context of MTP layers', () => {
  const rowOf = (rows: readonly number[], index: number) =>
    index < 0 ? filled() : rows.slice(index * model.hiddenWidth, (index + 1) * model.hiddenWidth);
  const filled = () => Array.from({ length: model.hiddenWidth }, () => 0);

  it('guesses the token after next from a token and the hidden row before it', async () => {
    const { tokens, rows } = await write(0, tokensOf('one two three'), 12);
    const guessed: (number | undefined)[] = [];
    for (const [index, token] of tokens.slice(0, -1).entries()) {
      const hidden = Float32Array.from(rowOf(rows, index - 1));
      const [[place = -1] = []] = await mtp.decode([{ ...ofLast(partOf(0, [token], index)), hidden }]);
      guessed.push(mtp.highestAt(place, 1).tokens[0]);
      expect(mtp.hidden?.at(place, 1)).toHaveLength(model.hiddenWidth);
    }
    const prompt = tokensOf('one two three').length;
    expect(guessed.slice(prompt - 1)).toEqual(tokens.slice(prompt));
    mtp.remove(0, 0);
  });

  it('takes several sequences at once, and gives the hidden row of each', async () => {
    const texts = [await write(0, tokensOf('one two'), 4), await write(1, tokensOf('a word'), 4)];
    const parts = texts.map(({ tokens, rows }, sequence) => {
      const hidden = Float32Array.from([...filled(), ...rows.slice(0, (tokens.length - 2) * model.hiddenWidth)]);
      return { ...ofLast(partOf(sequence, tokens.slice(0, -1))), hidden };
    });
    const places = await mtp.decode(parts);
    const guessed = places.map(([place = -1]) => mtp.highestAt(place, 1).tokens[0]);
    expect(guessed).toEqual(texts.map(({ tokens }) => tokens.at(-1)));
    const [one, other] = places.map(([place = -1]) => mtp.hidden?.at(place, 1));
    expect(one).not.toEqual(other);
  });
});
