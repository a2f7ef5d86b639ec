import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import { MEDIA_MARK, type Media } from '../../../src/contract/media.ts';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import { type ChatService, createChatService } from '../../../src/engine/chat-service.ts';
import type { TextEngine } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { findMediaLibrary } from '../../../src/engine/node/media-library.ts';
import { type Colour, plainPng, png, silentMp3, toneWav } from '../../kit/files/media.ts';
import { ask, chat, doneOf, generate, textOf } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';
import { type TinyModelOptions, writeTinyModel } from '../../kit/models/tiny-model.ts';
import {
  TOKENS_PER_BLOCK,
  TOKENS_PER_IMAGE,
  TOKENS_PER_RECORDING,
  writeAudioProjector,
  writeBlockProjector,
  writeGridProjector,
  writeVisionProjector,
} from '../../kit/models/tiny-projector.ts';

const library = findMediaLibrary();
/** The tests need libmtmd, which is not in the repository. */
const withLibrary = describe.skipIf(library.path === null);
const reason = library.path === null ? `: skipped, because ${library.reason}` : '';

const image = (colour: Colour, side = 64): Media => ({ kind: 'image', bytes: plainPng(colour, side) });
const recording = (bytes: Uint8Array, format: 'wav' | 'mp3' = 'wav'): Media => ({ kind: 'audio', format, bytes });

const red = image([255, 0, 0]);
const blue = image([0, 0, 255]);
const low = recording(toneWav(220));
const high = recording(toneWav(1760));

/** A message of the user. */
function user(...parts: (string | Media)[]): ChatMessage {
  const content = parts.map((part) => (typeof part === 'string' ? part : MEDIA_MARK)).join('');
  return { role: 'user', content, media: parts.filter((part) => typeof part !== 'string') };
}

const request = (messages: ChatMessage[], more: Partial<GenerationRequest> = {}) =>
  ask('', { prompt: chat(messages), ...more });

const progressOf = (events: GenerationEvent[]) => events.filter((event) => event.kind === 'progress');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-native-media-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads a tiny model with a projector for the tests of a suite. */
function useModel(writeProjector: (path: string) => void, options: TinyModelOptions = {}, slots = 4) {
  let loaded: TextEngine;
  let engine: ChatService;
  beforeAll(async () => {
    const file = join(folder, 'model.gguf');
    const projector = join(folder, 'projector.gguf');
    writeTinyModel(file, options);
    writeProjector(projector);
    const load = { files: [file], projector, kind: 'chat' as const, contextLength: 512, slots, threads: 1 };
    loaded = await loadNativeEngine({ ...load, batchSize: 64 }, 'cpu', silentLog);
    engine = createChatService(loaded);
  });
  afterAll(() => loaded[Symbol.asyncDispose]());
  const run = (asked: GenerationRequest, signal?: AbortSignal) => generate(engine, asked, signal);
  return {
    run,
    engine: () => engine,
    /** Returns the text of the reply to a message with these parts. It does not use the cache. */
    say: async (...parts: (string | Media)[]) => textOf(await run(request([user(...parts)]))),
    tokensOf: async (...parts: (string | Media)[]) =>
      doneOf(await run(request([user(...parts)], { maxTokens: 1 }))).promptTokens,
    /** Returns the text of the reply and the counts of tokens. It uses the cache. */
    async cached(...parts: (string | Media)[]) {
      const events = await run(request([user(...parts)], { cachePrompt: true }));
      return { text: textOf(events), ...doneOf(events) };
    },
  };
}

withLibrary(`a native model with a projector for images${reason}`, () => {
  const { run, say, tokensOf, cached, engine } = useModel(writeVisionProjector);

  it('says something else to another image, and the same to the same', async () => {
    const toRed = await say('Look: ', red, ' What is it?');
    expect(await say('Look: ', blue, ' What is it?')).not.toBe(toRed);
    expect(await say('Look: ', red, ' What is it?')).toBe(toRed);
    expect(await say('Look:  What is it?')).not.toBe(toRed);
  });

  it('sees the place of an image in the text, the order of two, and what is in one', async () => {
    const half = (left: number, right: number): Media => ({
      kind: 'image',
      bytes: png(64, 64, (x) => [x < 32 ? left : right, 0, 0]),
    });
    const replies = [
      await say('Look: ', red, ' What is it?'),
      await say(red, 'Look:  What is it?'),
      await say('Look:  What is it?', red),
      await say(red, blue, 'And?'),
      await say(blue, red, 'And?'),
      await say(half(255, 0), '?'),
      await say(half(0, 255), '?'),
    ];
    expect(new Set(replies).size).toBe(replies.length);
  });

  it('counts the tokens of images of any size', async () => {
    const text = await tokensOf('AB');
    expect(await tokensOf('A', red, 'B')).toBe(text + TOKENS_PER_IMAGE);
    expect(await tokensOf('A', red, blue, 'B')).toBe(text + 2 * TOKENS_PER_IMAGE);
    expect(await tokensOf('A', { kind: 'image', bytes: png(300, 40, () => [9, 9, 9]) }, 'B')).toBe(
      text + TOKENS_PER_IMAGE,
    );
    expect(await tokensOf('A', image([1, 2, 3], 1), 'B')).toBe(text + TOKENS_PER_IMAGE);
  });

  it('has the same image from the cache, and not another one', async () => {
    const long = 'A long text that comes first. ';
    const before = await tokensOf(long);
    const first = await cached(long, red, 'Well?');
    const same = await cached(long, red, 'Well?');
    expect(same.cachedTokens).toBe(first.promptTokens - 1);
    expect(same.text).toBe(first.text);
    const other = await cached(long, blue, 'Well?');
    expect(other.cachedTokens).toBeLessThan(before);
    expect(other.cachedTokens).toBeGreaterThan(0);
    expect(other.text).toBe(await say(long, blue, 'Well?'));
  });

  it('goes on after an image of an earlier turn', async () => {
    const opening = user('Look: ', red);
    const first = await run(request([opening], { cachePrompt: true }));
    const reply: ChatMessage = { role: 'assistant', content: textOf(first) };
    const messages = (media: Media) => [opening, reply, user('And ', media, '?')];
    const second = await run(request(messages(blue), { cachePrompt: true }));
    expect(doneOf(second).cachedTokens).toBeGreaterThanOrEqual(doneOf(first).promptTokens);
    expect(textOf(second)).toBe(textOf(await run(request(messages(blue)))));
    expect(textOf(await run(request(messages(red), { cachePrompt: true })))).not.toBe(textOf(second));
  });

  it('looks at one image after it has looked at two of which that was the first', async () => {
    await cached(red, blue, 'What are they?');
    expect((await cached(red, 'What is it?')).text).toBe(await say(red, 'What is it?'));
  });

  it('looks at an image in every stream exactly as it does alone', async () => {
    const questions = Array.from({ length: 4 }, (_, index) => [
      image([40 * index, 99, 0]),
      `Question ${'after question '.repeat(3 * index)}?`,
    ]);
    const alone: string[] = [];
    for (const parts of questions) alone.push(await say(...parts));
    expect(await Promise.all(questions.map((parts) => say(...parts)))).toEqual(alone);
  });

  it('has two choices from one reading', async () => {
    const events = await run(request([user(red, '?')], { choices: 2, maxTokens: 4 }));
    const texts = [0, 1].map((choice) =>
      textOf(events.filter((event) => 'choice' in event && event.choice === choice)),
    );
    expect(texts[1]).toBe(texts[0]);
    expect(doneOf(events).completionTokens).toBe(8);
  });

  it('emits progress after each image', async () => {
    const events = await run(request([user('A', red, 'B', blue, 'C')]));
    const progress = progressOf(events).map(({ processed }) => processed);
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(doneOf(events).promptTokens);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.some((done) => done > TOKENS_PER_IMAGE && done < 2 * TOKENS_PER_IMAGE)).toBe(true);
  });

  it('is cancelled between images, and serves on', async () => {
    const expected = await say(red, '?');
    const images = Array.from({ length: 12 }, (_, index) => image([index, 7, 7]));
    const cancel = new AbortController();
    const events: GenerationEvent[] = [];
    const note = (event: GenerationEvent) => {
      events.push(event);
      if (event.kind === 'progress' && event.processed > TOKENS_PER_IMAGE) cancel.abort();
    };
    await engine().generate(request([user(...images)]), note, cancel.signal);
    expect(events.every(({ kind }) => kind === 'progress')).toBe(true);
    const [{ total } = { total: 0 }] = progressOf(events);
    expect(progressOf(events).at(-1)?.processed).toBeLessThan(total);
    expect(await say(red, '?')).toBe(expected);
  });

  it('emits overflow with the tokens of images', async () => {
    const events = await run(request([user(...Array.from({ length: 40 }, () => red))]));
    expect(events).toEqual([{ kind: 'overflow', promptTokens: expect.any(Number), contextLength: 512 }]);
    expect(events[0]?.kind === 'overflow' && events[0].promptTokens).toBeGreaterThan(40 * TOKENS_PER_IMAGE);
  });

  it('refuses what is no image, and a recording, and serves on', async () => {
    const expected = await say(red, '?');
    const refusal = { data: { status: 400, param: 'messages', code: 'invalid_media' } };
    const damaged: Media[] = [
      { kind: 'image', bytes: Buffer.from('no image') },
      { kind: 'image', bytes: plainPng([1, 2, 3]).subarray(0, 60) },
      { kind: 'image', bytes: plainPng([1, 2, 3]).subarray(0, 20) },
      low,
    ];
    for (const media of damaged) await expect(say(media, '?')).rejects.toMatchObject(refusal);
    expect(await say(red, '?')).toBe(expected);
  });
});

withLibrary(`a native model with a projector for recordings${reason}`, () => {
  const { say, tokensOf, cached } = useModel(writeAudioProjector);

  it('says something else to another recording, and the same to the same', async () => {
    const toLow = await say('Listen: ', low, ' What is it?');
    expect(await say('Listen: ', high, ' What is it?')).not.toBe(toLow);
    expect(await say('Listen: ', low, ' What is it?')).toBe(toLow);
  });

  it('hears the order of two recordings, and reads none twice', async () => {
    const inOrder = await cached(low, high, '?');
    expect((await cached(high, low, '?')).text).not.toBe(inOrder.text);
    const again = await cached(low, high, '?');
    expect(again.cachedTokens).toBe(inOrder.promptTokens - 1);
    expect(again.text).toBe(inOrder.text);
  });

  it('counts the tokens of recordings of any rate and length, WAV or MP3', async () => {
    const text = await tokensOf('AB');
    const tokens = async (media: Media) => (await tokensOf('A', media, 'B')) - text;
    expect(await tokens(low)).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 1, 48_000)))).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 40)))).toBe(2 * TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 0.001)))).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(silentMp3(2), 'mp3'))).toBe(TOKENS_PER_RECORDING);
  });

  it('refuses what is no recording, one of a single sample, and an image, and serves on', async () => {
    const expected = await say(low, '?');
    const refusal = { data: { status: 400, param: 'messages', code: 'invalid_media' } };
    for (const media of [recording(Buffer.from('no recording')), recording(toneWav(220, 1 / 16_000)), red])
      await expect(say(media, '?')).rejects.toMatchObject(refusal);
    expect(await say(low, '?')).toBe(expected);
  });
});

withLibrary(`a native model whose images have rows and columns${reason}`, () => {
  const { say, tokensOf, cached, run } = useModel(writeGridProjector, { grid: true });
  const wide = (shade: number): Media => ({ kind: 'image', bytes: png(320, 64, (x) => [x % 256, shade, 0]) });

  it('counts the tokens of images by their size', async () => {
    // A token for every 32 x 32 pixels.
    const small = await tokensOf('A', wide(0), 'B');
    expect(await tokensOf('A', image([9, 9, 9], 320), 'B')).toBe(small - 20 + 100);
  });

  it('answers alike with and without the cache, in every order of images', async () => {
    const parts = [
      ['Look: ', wide(0), 'What is it?'],
      ['Look: ', wide(0), 'Well?'],
      ['Look: ', wide(0), wide(99), 'And?'],
      ['Look: ', wide(99), wide(0), 'And?'],
      ['Look: ', wide(0), 'What is it?'],
      [image([5, 99, 0], 320), 'What is it?'],
      [image([5, 99, 0], 320)],
      [image([5, 99, 0], 320), 'What is that?'],
    ];
    for (const part of parts) expect((await cached(...part)).text).toBe(await say(...part));
  });

  it('has the same image from the cache', async () => {
    const first = await cached('Look: ', wide(50), 'What is it?');
    const again = await cached('Look: ', wide(50), 'What is it?');
    expect(again).toMatchObject({ text: first.text, cachedTokens: first.promptTokens - 1 });
    const other = await cached('Look: ', wide(50), 'Well?');
    expect(other.cachedTokens).toBeGreaterThan(20);
  });

  it('reads an image of more tokens than a pass holds', async () => {
    const large = image([5, 99, 0], 320);
    const [first] = await Promise.all([say(large, 'What is it?'), say('Something else?')]);
    expect(first).toBe(await say(large, 'What is it?'));
  });

  it('goes on after a cancelled image', async () => {
    const large = image([7, 99, 0], 320);
    const messages = [user(large, 'What is it?')];
    const cancel = new AbortController();
    const cancelled = run(request(messages, { cachePrompt: true }), cancel.signal);
    setTimeout(() => cancel.abort(), 5);
    await cancelled;
    expect(textOf(await run(request(messages, { cachePrompt: true })))).toBe(await say(large, 'What is it?'));
  });
});

withLibrary(`a native model whose images are read in one pass${reason}`, () => {
  const { say, tokensOf, cached } = useModel(writeBlockProjector);

  it('counts the tokens of images', async () => {
    const around = await tokensOf('A', red, 'B');
    expect((await tokensOf('A', red, red, 'B')) - around).toBeGreaterThanOrEqual(TOKENS_PER_BLOCK);
  });

  it('answers alike with and without the cache, alone and beside others', async () => {
    const parts = [
      ['Look: ', red, 'What is it?'],
      ['Look: ', red, 'Well?'],
      ['Look: ', red, blue, 'And?'],
      ['Look: ', blue, red, 'And?'],
      ['Look: ', red],
    ];
    const alone: string[] = [];
    for (const part of parts) {
      alone.push(await say(...part));
      expect((await cached(...part)).text).toBe(alone.at(-1));
    }
    expect(await Promise.all(parts.slice(0, 4).map((part) => say(...part)))).toEqual(alone.slice(0, 4));
  });
});
