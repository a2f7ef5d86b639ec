import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineOptions } from '../../../../src/engine/engine.ts';
import type { HeadDrafter } from '../../../../src/engine/native/draft-heads/head-drafter.ts';
import { loadEagle3 } from '../../../../src/engine/native/draft-heads/load-eagle3.ts';
import { loadMtp } from '../../../../src/engine/native/draft-heads/load-mtp.ts';
import type { Pairs } from '../../../../src/engine/native/draft-heads/trail.ts';
import { openContext } from '../../../../src/engine/native/llama/context.ts';
import { createDecoder, type Decoder } from '../../../../src/engine/native/llama/decoder.ts';
import { createGrowingContext } from '../../../../src/engine/native/llama/growing-context.ts';
import type { LlamaModel } from '../../../../src/engine/native/llama/model.ts';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import { recordingLog, silentLog } from '../../../kit/log.ts';
import { writeEagle3Draft, writeEagle3Target } from '../../../kit/models/draft-heads/eagle3-model.ts';
import { writeMtpModel } from '../../../kit/models/draft-heads/mtp-model.ts';
import { openNativeModel } from '../../../kit/native-model.ts';

// The MTP layer and the EAGLE-3 draft model guess all tokens right, if their cache holds the same tokens as the model's: a wrong guess is
// a mistake.

const BATCH = 32;
const LONG = 'a long text of some words, '.repeat(6);
const PROMPT = 'one two three';

type Kind = 'mtp' | 'eagle3';
const KINDS: [string, Kind][] = [
  ["a model's MTP layer", 'mtp'],
  ["a model's EAGLE-3 draft model", 'eagle3'],
];

let folder: string;
/** The options of the model that the tests use now. */
let options: EngineOptions;
let model: LlamaModel;
let drafter: HeadDrafter;
let decoder: Decoder;

const COMMON = { kind: 'chat', contextLength: 512, slots: 3, threads: 1, batchSize: BATCH } as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-head-drafter-'));
  writeMtpModel(join(folder, 'mtp.gguf'), { layers: 2 });
  writeEagle3Target(join(folder, 'target.gguf'), { layers: 2 });
  writeEagle3Draft(join(folder, 'draft.gguf'), { targetLayers: [0, 1, 1] });
  options = optionsOf('mtp');
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  model = await openNativeModel(options.files[0] ?? '', { load_mtp: true });
  ({ drafter, decoder } = await open(options));
});
afterEach(() => model.close());

function optionsOf(kind: Kind): EngineOptions {
  if (kind === 'mtp') return { ...COMMON, files: [join(folder, 'mtp.gguf')], mtp: {} };
  const eagle3 = { file: join(folder, 'draft.gguf'), borrows: false };
  return { ...COMMON, files: [join(folder, 'target.gguf')], eagle3 };
}

async function open(wanted: EngineOptions, of = model) {
  const memory = { grows: true, available: () => Number.POSITIVE_INFINITY };
  const { drafter: mtp } = await loadMtp(of, wanted, memory, () => 1, silentLog);
  const made = mtp ?? (await loadEagle3(of, wanted, memory, () => 1, silentLog));
  if (!made) throw new Error('nothing guesses');
  const context = await createGrowingContext(of, wanted, true, silentLog, memory.available, { gives: made.parts });
  return { drafter: made, decoder: createDecoder(context, of, made) };
}

const tokensOf = (text: string) => model.tokenizer.tokenize(text, false);

/** Evaluates tokens of a sequence in batches. Resolves to the token that follows. */
async function read(sequence: number, at: number, tokens: Token[], by = decoder): Promise<Token> {
  const batch = tokens.slice(0, BATCH);
  await by.reserve(at + batch.length);
  const part = { sequence, at, tokens: batch, logitsAt: [batch.length - 1], highest: 1 };
  const [[place = -1] = []] = await by.decode([part], 1);
  const [next = -1] = by.highestAt(place, 1).tokens;
  return tokens.length > BATCH ? read(sequence, at + BATCH, tokens.slice(BATCH), by) : next;
}

/** Returns the tokens that the model writes after a text, one after the other. Sequence 2 is used for that. */
async function written(text: Token[], count: number): Promise<Token[]> {
  await decoder.truncate(2, 0);
  const tokens: Token[] = [];
  for (let next = await read(2, 0, text); tokens.push(next) < count; )
    next = await read(2, text.length + tokens.length - 1, [next]);
  return tokens;
}

describe.each(KINDS)('%s', (_, kind) => {
  beforeAll(() => {
    options = optionsOf(kind);
  });

  it('guesses the tokens after the drawn one', async () => {
    const [drawn = -1, ...others] = await written(tokensOf(PROMPT), 9);
    expect(await read(0, 0, tokensOf(PROMPT))).toBe(drawn);
    expect(await drafter.guess(0, drawn, 8)).toEqual(others);
    expect(drafter.tokenMs(1)).toBeGreaterThan(0);
  });

  it.each([1, 2, 5])(
    'goes on where %i of its guesses were evaluated and right, and the others were dropped',
    async (right) => {
      const text = tokensOf(PROMPT);
      const all = await written(text, 20);
      await read(0, 0, text);
      let [length, at] = [text.length, 0];
      while (at + right + 8 < all.length) {
        expect(await drafter.guess(0, all[at] ?? -1, 6)).toEqual(all.slice(at + 1, at + 7));
        const wrong = [270, 271, 272];
        await read(0, length, [...all.slice(at, at + right), ...wrong]);
        await decoder.truncate(0, length + right);
        [length, at] = [length + right, at + right];
      }
      expect(at).toBeGreaterThan(6);
    },
  );

  it('follows prompts of several batches, and replies for which nothing was guessed', async () => {
    const text = tokensOf(LONG);
    expect(text.length).toBeGreaterThan(3 * BATCH);
    const all = await written(text, 80);
    await read(0, 0, text);
    for (const [index, token] of all.slice(0, 70).entries()) await read(0, text.length + index, [token]);
    expect(await drafter.guess(0, all[70] ?? -1, 6)).toEqual(all.slice(71, 77));
  });

  it('goes on from the beginning of another text', async () => {
    const [one, other] = [tokensOf(`${LONG} and this`), tokensOf(`${LONG} but that`)];
    const common = one.findIndex((token, index) => token !== other[index]);
    await read(0, 0, one);
    await decoder.truncate(0, common);
    const [drawn = -1, ...others] = await written(other, 6);
    await read(0, common, other.slice(common));
    expect(await drafter.guess(0, drawn, 5)).toEqual(others);
  });

  it('knows what a sequence has copied from another one', async () => {
    const [one, other] = [tokensOf(LONG), tokensOf(' and more')];
    await read(0, 0, one);
    expect(await decoder.copy(0, 1, one.length - 3)).toBe(one.length - 3);
    const text = [...one.slice(0, -3), ...other];
    const [drawn = -1, ...others] = await written(text, 6);
    await read(1, one.length - 3, other);
    expect(await drafter.guess(1, drawn, 5)).toEqual(others);
    const [next = -1, ...after] = await written(one, 6);
    expect(await drafter.guess(0, next, 5)).toEqual(after);
  });

  it('begins anew where a sequence was read from a file', async () => {
    const text = tokensOf(PROMPT);
    await read(0, 0, text);
    const path = join(folder, 'state');
    await decoder.save(0, path);
    await read(1, 0, tokensOf('other words'));
    await decoder.truncate(1, 0);
    expect(await decoder.load(1, path, text.length)).toBe(true);
    const [drawn = -1, next = -1] = await written(text, 2);
    expect(await drafter.guess(1, drawn, 3)).toEqual([]);
    expect(await read(1, text.length, [drawn])).toBe(next);
    expect(await drafter.guess(1, next, 3)).toHaveLength(3);
  });

  it('guesses for several sequences at once, each its own number of tokens', async () => {
    const texts = [tokensOf(PROMPT), tokensOf('some other words')];
    const all = [await written(texts[0] ?? [], 9), await written(texts[1] ?? [], 9)];
    for (const [sequence, text] of texts.entries()) await read(sequence, 0, text);
    const decode = vi.spyOn(model.library.llama.llama_decode, 'async');
    const guesses = await Promise.all([drafter.guess(0, all[0]?.[0] ?? -1, 7), drafter.guess(1, all[1]?.[0] ?? -1, 3)]);
    expect(guesses).toEqual([all[0]?.slice(1, 8), all[1]?.slice(1, 4)]);
    expect(decode).toHaveBeenCalledTimes(7);
    decode.mockRestore();
  });

  it('measures its passes before the first guess, and its cache is empty then', async () => {
    expect(drafter.tokenMs(1)).toBe(0);
    await drafter.warmUp();
    expect(drafter.tokenMs(1)).toBeGreaterThan(0);
    const [drawn = -1, ...others] = await written(tokensOf(PROMPT), 6);
    await read(0, 0, tokensOf(PROMPT));
    expect(await drafter.guess(0, drawn, 5)).toEqual(others);
  });

  it('guesses nothing for a drawn token twice, before the model has evaluated it', async () => {
    const drawn = await read(0, 0, tokensOf(PROMPT));
    await drafter.guess(0, drawn, 2);
    expect(await drafter.guess(0, drawn, 2)).toEqual([]);
  });

  it('rests after 64 passes without a guess worth its time, follows again once it is asked, and then guesses', async () => {
    const text = tokensOf(PROMPT);
    const all = await written(text, 40);
    await read(0, 0, text);
    for (let pass = 0; pass < 63; pass++) drafter.noteIdle();
    await drafter.truncated(1, 0);
    expect(drafter.follows).toBe(true);
    drafter.noteIdle();
    await drafter.truncated(1, 0);
    expect(drafter.follows).toBe(false);
    for (const [index, token] of all.slice(0, 4).entries()) await read(0, text.length + index, [token]);
    expect(await drafter.guess(0, all[4] ?? -1, 3)).toEqual([]);
    expect(drafter.follows).toBe(true);
    expect(await read(0, text.length + 4, [all[4] ?? -1])).toBe(all[5]);
    expect(await drafter.guess(0, all[5] ?? -1, 3)).toHaveLength(3);
    await read(1, 0, text);
    expect(await drafter.guess(1, all[0] ?? -1, 5)).toEqual(all.slice(1, 6));
  });

  it('forgets the time of a guess when it rests: it may be that of a busy moment, and keep it from guessing for ever', async () => {
    await drafter.warmUp();
    expect(drafter.tokenMs(1)).toBeGreaterThan(0);
    for (let pass = 0; pass < 64; pass++) drafter.noteIdle();
    await drafter.truncated(0, 0);
    expect(drafter.tokenMs(1)).toBe(0);
  });

  it('rests after prompts for whose replies it is never asked', async () => {
    const long = Array.from({ length: 65 }, () => 270);
    for (let prompt = 0; prompt < 16; prompt++) {
      expect(drafter.follows).toBe(true);
      await read(0, 0, long);
      await decoder.truncate(0, 0);
    }
    expect(drafter.follows).toBe(false);
  });

  it('guesses nothing any more once it was stopped', async () => {
    const drawn = await read(0, 0, tokensOf(PROMPT));
    drafter.stop();
    expect(await drafter.guess(0, drawn, 2)).toEqual([]);
    expect(await read(0, tokensOf(PROMPT).length, [drawn])).toBeGreaterThan(0);
  });
});

describe.each(KINDS)('%s whose guesses depend on the hidden rows', (_, kind) => {
  /** Writes the files, and returns the options that name them. */
  function writeDependent(): EngineOptions {
    const file = join(folder, 'rows.gguf');
    if (kind === 'mtp') {
      writeMtpModel(file, { layers: 2, addsRows: true });
      return { ...optionsOf(kind), files: [file] };
    }
    writeEagle3Draft(file, { targetLayers: [0, 1, 1], addsRows: true });
    return { ...optionsOf(kind), eagle3: { file, borrows: false } };
  }

  it('gets each token with the row of the token before it, whichever passes and guesses came between', async () => {
    const wanted = writeDependent();
    const own = await openNativeModel(wanted.files[0] ?? '', { load_mtp: true });
    const { drafter: guesser, decoder: reader } = await open(wanted, own);
    const text = tokensOf(LONG);
    const drawn: Token[] = [await read(0, 0, text, reader)];
    const guessed: Token[][] = [];
    for (let round = 0; round < 6; round++) {
      guessed.push(await guesser.guess(0, drawn.at(-1) ?? -1, 3));
      const at = text.length + drawn.length - 1;
      const next = await read(0, at, [drawn.at(-1) ?? -1, 271, 272], reader);
      expect(next).toBeGreaterThan(0);
      await reader.truncate(0, at + 1);
      await reader.truncate(1, 0);
      drawn.push(await read(1, 0, [...text, ...drawn], reader));
    }
    const draft = wanted.eagle3 ? await openNativeModel(wanted.eagle3.file) : own;
    expect(guessed).toEqual(await guessesOf({ own, draft, guesser }, text, drawn.slice(0, 6)));
    if (draft !== own) await draft.close();
    expect(new Set(guessed.flat()).size).toBeGreaterThan(3);
    await own.close();
  });
});

/** Returns the three guesses after a text and each beginning of what follows, evaluated anew from the rows of a pass of its own. */
async function guessesOf(
  { own, draft, guesser }: { own: LlamaModel; draft: LlamaModel; guesser: HeadDrafter },
  text: Token[],
  following: Token[],
): Promise<Token[][]> {
  const sizes = { contextLength: 512, sequences: 1, batchSize: 256, threads: 1, unified: true, flashAttention: true };
  const main = await openContext(own, { ...sizes, gives: guesser.parts });
  const second = await openContext(draft, { ...sizes, guesses: draft === own ? 'mtp' : 'eagle3' });
  if (!main?.hidden || !second?.hidden) throw new Error('there is no context');
  const all: Token[][] = [];
  for (const length of following.keys()) {
    const tokens = [...text, ...following.slice(0, length)];
    main.remove(0, 0);
    second.remove(0, 0);
    await main.decode([{ sequence: 0, at: 0, tokens, logitsAt: [] }]);
    const rows = main.hidden.at(0, tokens.length);
    const drawn = following[length] ?? -1;
    // An MTP layer evaluates the first token too, with a row of zeros.
    let next: Pairs = second.encode
      ? { at: 0, tokens: [...tokens.slice(1), drawn], hidden: await second.encode(rows, tokens.length, false) }
      : { at: 0, tokens: [...tokens, drawn], hidden: Float32Array.of(...new Float32Array(own.hiddenWidth), ...rows) };
    const guesses: Token[] = [];
    while (guesses.length < 3) {
      const part = { sequence: 0, ...next, logitsAt: [...next.tokens.keys()] };
      const [places = []] = await second.decode([part]);
      const place = places.at(-1) ?? -1;
      const [token = -1] = second.highestAt(place, 1).tokens;
      guesses.push(token);
      next = { at: next.at + next.tokens.length, tokens: [token], hidden: second.hidden.at(place, 1) };
    }
    all.push(guesses);
  }
  await second[Symbol.asyncDispose]();
  await main[Symbol.asyncDispose]();
  return all;
}

describe.each(KINDS)('%s whose sequences have a cache each', (_, kind) => {
  beforeAll(() => {
    options = optionsOf(kind);
  });

  it('guesses while one reply is evaluated by itself', async () => {
    const apart = await open({ ...options, flashAttention: false });
    expect(apart.decoder.unified).toBe(false);
    const [drawn = -1, ...others] = await written(tokensOf(LONG), 6);
    expect(await read(1, 0, tokensOf(LONG), apart.decoder)).toBe(drawn);
    expect(await apart.drafter.guess(1, drawn, 5)).toEqual(others);
  });

  it('begins anew after passes with several sequences, whose rows it could mistake', async () => {
    const apart = await open({ ...options, flashAttention: false });
    const texts = [tokensOf('one two'), tokensOf('some words')];
    const parts = texts.map((tokens, sequence) => ({
      sequence,
      at: 0,
      tokens,
      logitsAt: [tokens.length - 1],
      highest: 1,
    }));
    const places = await apart.decoder.decode(parts, 1);
    const drawn = places.map(([place = -1]) => apart.decoder.highestAt(place, 1).tokens[0] ?? -1);
    for (const [sequence, text] of texts.entries()) {
      const next = await read(sequence, text.length, [drawn[sequence] ?? -1], apart.decoder);
      expect(next).toBe((await written(text, 2))[1]);
      expect(await apart.drafter.guess(sequence, next, 2)).toHaveLength(2);
    }
  });
});

describe('what became of an MTP layer', () => {
  beforeAll(() => {
    options = optionsOf('mtp');
  });

  const stateOf = async (more: Partial<EngineOptions>, of = model) =>
    (await loadMtp(of, { ...options, ...more }, { grows: false, available: () => 0 }, () => 1, silentLog)).state;

  it.each<[string, Partial<EngineOptions>, string | undefined]>([
    ['used', {}, 'used'],
    ['turned off', { mtp: { off: 'somebody says so' } }, 'not used: somebody says so'],
    ['beside a draft model', { draft: 'draft.gguf' }, 'not used: a draft model guesses in its place'],
    ['where each token is drawn by itself', { oneByOne: true }, 'not used: every token is drawn by itself'],
  ])('is told, %s', async (_, more, state) => {
    expect(await stateOf(more)).toEqual(state);
  });

  it('is told where llama.cpp makes no context of it', async () => {
    const file = join(folder, 'none.gguf');
    writeMtpModel(file, { layers: 2, mtpLayers: 0, hasMtpTensors: false });
    const none = await openNativeModel(file);
    expect(await stateOf({}, none)).toMatch(/^not used: llama\.cpp could not make a context/);
    await none.close();
  });

  it('is told where the libraries have no functions for it', async () => {
    const without = { ...model, library: { ...model.library, hidden: null } };
    expect(await stateOf({}, without)).toMatch(/libraries for this system/);
  });

  it('is told where a recurrent state can not take guesses back', async () => {
    const recurrent = { ...model, recurs: true };
    expect(await stateOf({}, recurrent)).toMatch(/recurrent state/);
  });

  it('is no matter of a model that has none', async () => {
    const { mtp: _, ...others } = options;
    expect(await loadMtp(model, others, { grows: false, available: () => 0 }, () => 1, silentLog)).toEqual({});
  });
});

describe('what became of an EAGLE-3 draft model', () => {
  beforeAll(() => {
    options = optionsOf('eagle3');
  });
  const linesOf = async (of: LlamaModel) => {
    const lines: string[] = [];
    const growth = { grows: false, available: () => 0 };
    expect(await loadEagle3(of, options, growth, () => 1, recordingLog(lines))).toBeUndefined();
    return lines;
  };

  it.each<[string, () => LlamaModel, RegExp]>([
    [
      'where the libraries have no functions for it',
      () => ({ ...model, library: { ...model.library, hidden: null } }),
      /draft model not used.*libraries for this system have no functions for it/,
    ],
    [
      'where a recurrent state can not take guesses back',
      () => ({ ...model, recurs: true }),
      /draft model not used.*the recurrent state can not take guesses back/,
    ],
  ])('is logged, %s', async (_, of, reason) => {
    expect(await linesOf(of())).toEqual([expect.stringMatching(reason)]);
  });
});
