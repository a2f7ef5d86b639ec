import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import { MEDIA_MARK, type Media } from '../../../src/contract/media.ts';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import { plainPng, png, silentMp3, toneWav } from '../../kit/files/media.ts';
import { chat } from '../../kit/generation.ts';
import {
  TOKENS_PER_IMAGE,
  TOKENS_PER_RECORDING,
  writeAudioProjector,
  writeVisionProjector,
} from '../../kit/models/tiny-projector.ts';
import { only, request, textOf, WasmThread } from './wasm-thread.ts';

/** In ms. Encoders compute a lot, which takes long on busy cores. */
const TIME_LIMIT_MS = 120_000;

const image = (bytes: Uint8Array): Media => ({ kind: 'image', bytes });
const recording = (bytes: Uint8Array, format: 'wav' | 'mp3' = 'wav'): Media => ({ kind: 'audio', format, bytes });

const red = image(plainPng([255, 0, 0]));
const blue = image(plainPng([0, 0, 255]));
const low = recording(toneWav(220));
const high = recording(toneWav(1760));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-media-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A message of the user. */
function user(...parts: (string | Media)[]): ChatMessage {
  const content = parts.map((part) => (typeof part === 'string' ? part : MEDIA_MARK)).join('');
  return { role: 'user', content, media: parts.filter((part) => typeof part !== 'string') };
}

function ask(messages: ChatMessage[], more: Partial<GenerationRequest> = {}): GenerationRequest {
  return request('', { prompt: chat(messages), ...more });
}

/** Returns the text of the reply to a message with these parts. It does not use the cache. */
async function say(thread: WasmThread, ...parts: (string | Media)[]): Promise<string> {
  return textOf(await thread.run(ask([user(...parts)], { cachePrompt: false })));
}

async function tokensOf(thread: WasmThread, ...parts: (string | Media)[]): Promise<number> {
  return only(await thread.run(ask([user(...parts)], { maxTokens: 1 })), 'done').promptTokens;
}

function progressOf(events: GenerationEvent[]) {
  return events.filter((event) => event.kind === 'progress');
}

describe('a model with a projector for images', { timeout: TIME_LIMIT_MS }, () => {
  let thread: WasmThread;

  beforeAll(async () => {
    const projector = join(folder, 'vision.gguf');
    writeVisionProjector(projector);
    thread = await WasmThread.start({ files: [join(inject('modelsFolder'), 'tiny.gguf')], projector });
  }, TIME_LIMIT_MS);

  afterAll(() => thread.stop());

  it('says something else to another image, and the same to the same', async () => {
    const toRed = await say(thread, 'Look: ', red, ' What is it?');
    expect(await say(thread, 'Look: ', blue, ' What is it?')).not.toBe(toRed);
    expect(await say(thread, 'Look: ', red, ' What is it?')).toBe(toRed);
    expect(await say(thread, 'Look:  What is it?')).not.toBe(toRed);
  });

  it('sees the place of an image in the text, and the order of two', async () => {
    const places = [
      await say(thread, 'Look: ', red, ' What is it?'),
      await say(thread, red, 'Look:  What is it?'),
      await say(thread, 'Look:  What is it?', red),
    ];
    expect(new Set(places).size).toBe(3);
    expect(await say(thread, red, blue, 'And?')).not.toBe(await say(thread, blue, red, 'And?'));
  });

  it('sees the content of an image, and its place', async () => {
    const half = (left: number, right: number) => image(png(64, 64, (x) => [x < 32 ? left : right, 0, 0]));
    expect(await say(thread, half(255, 0), '?')).not.toBe(await say(thread, half(0, 255), '?'));
  });

  it('counts the tokens of images of any size', async () => {
    const text = await tokensOf(thread, 'AB');
    expect(await tokensOf(thread, 'A', red, 'B')).toBe(text + TOKENS_PER_IMAGE);
    expect(await tokensOf(thread, 'A', red, blue, 'B')).toBe(text + 2 * TOKENS_PER_IMAGE);
    expect(await tokensOf(thread, 'A', image(png(300, 40, () => [9, 9, 9])), 'B')).toBe(text + TOKENS_PER_IMAGE);
  });

  it('takes an image in a later turn, and does not read the earlier ones again', async () => {
    const opening = user('Look: ', red);
    const first = await thread.run(ask([opening]));
    const reply: ChatMessage = { role: 'assistant', content: textOf(first) };
    const continued = (media: Media) => thread.run(ask([opening, reply, user('And ', media, '?')]));
    const second = await continued(blue);
    expect(only(second, 'done').cachedTokens).toBeGreaterThanOrEqual(only(first, 'done').promptTokens);
    expect(textOf(await continued(red))).not.toBe(textOf(second));
    const again = await continued(blue);
    expect(textOf(again)).toBe(textOf(second));
  });

  it('reads an image that replaces another one', async () => {
    const long = 'A long text that comes first. ';
    const before = await tokensOf(thread, long);
    await thread.run(ask([user(long, red, 'Well?')]));
    const same = only(await thread.run(ask([user(long, red, 'Well!')])), 'done');
    const other = only(await thread.run(ask([user(long, blue, 'Well?')])), 'done');
    expect(same.cachedTokens).toBeGreaterThan(before);
    expect(other.cachedTokens).toBeLessThan(before);
    expect(other.cachedTokens).toBeGreaterThan(0);
  });

  it('emits progress after each image', async () => {
    const events = await thread.run(ask([user('A', red, 'B', blue, 'C')], { cachePrompt: false }));
    const progress = progressOf(events).map(({ processed }) => processed);
    const { promptTokens } = only(events, 'done');
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(promptTokens);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.some((done) => done > TOKENS_PER_IMAGE && done < 2 * TOKENS_PER_IMAGE)).toBe(true);
  });

  it('is cancelled between images, and serves on', async () => {
    const expected = await say(thread, red, '?');
    const images = Array.from({ length: 12 }, (_, index) => image(plainPng([index, 7, 7])));
    const generation = thread.generate(ask([user(...images)], { cachePrompt: false }));
    await generation.reached('progress');
    generation.abort();
    expect(await generation.ended).toBeNull();
    expect(generation.events.every(({ kind }) => kind === 'progress')).toBe(true);
    const [{ total } = { total: 0 }] = progressOf(generation.events);
    expect(progressOf(generation.events).at(-1)?.processed).toBeLessThan(total);
    expect(await say(thread, red, '?')).toBe(expected);
  });

  it('emits overflow with the tokens of images', async () => {
    const images = Array.from({ length: 40 }, () => red);
    const events = await thread.run(ask([user(...images)]));
    expect(events).toEqual([{ kind: 'overflow', promptTokens: expect.any(Number), contextLength: 512 }]);
    expect(only(events, 'overflow').promptTokens).toBeGreaterThan(40 * TOKENS_PER_IMAGE);
  });

  it('makes several choices from one reading', async () => {
    const events = await thread.run(ask([user(red, '?')], { choices: 2, maxTokens: 4 }));
    const texts = [0, 1].map((choice) =>
      textOf(events.filter((event) => 'choice' in event && event.choice === choice)),
    );
    expect(texts[1]).toBe(texts[0]);
    expect(only(events, 'done').completionTokens).toBe(8);
  });

  it('refuses what is no image, and a recording, and serves on', async () => {
    const expected = await say(thread, red, '?');
    const refusal = { data: { status: 400, param: 'messages', code: 'invalid_media' } };
    await expect(say(thread, image(Buffer.from('no image')), '?')).rejects.toMatchObject(refusal);
    await expect(say(thread, image(plainPng([1, 2, 3]).subarray(0, 60)), '?')).rejects.toMatchObject(refusal);
    await expect(say(thread, low, '?')).rejects.toMatchObject(refusal);
    expect(await say(thread, red, '?')).toBe(expected);
  });
});

describe('a model with a projector for audio', { timeout: TIME_LIMIT_MS }, () => {
  let thread: WasmThread;

  beforeAll(async () => {
    const projector = join(folder, 'audio.gguf');
    writeAudioProjector(projector);
    thread = await WasmThread.start({ files: [join(inject('modelsFolder'), 'tiny.gguf')], projector });
  }, TIME_LIMIT_MS);

  afterAll(() => thread.stop());

  it('computes with the threads that it is given, however many recordings need', () => {
    expect(thread.info.threads).toBe(1);
  });

  it('says something else to another recording, and the same to the same', async () => {
    const toLow = await say(thread, 'Listen: ', low, ' What is it?');
    expect(await say(thread, 'Listen: ', high, ' What is it?')).not.toBe(toLow);
    expect(await say(thread, 'Listen: ', low, ' What is it?')).toBe(toLow);
  });

  it('hears the order of two recordings, and reads none twice', async () => {
    const inOrder = await thread.run(ask([user(low, high, '?')]));
    expect(textOf(await thread.run(ask([user(high, low, '?')])))).not.toBe(textOf(inOrder));
    const { promptTokens, cachedTokens } = only(await thread.run(ask([user(low, high, '?')])), 'done');
    expect(cachedTokens).toBe(promptTokens - 1);
  });

  it('counts the tokens of recordings of any rate and length, WAV or MP3', async () => {
    const text = await tokensOf(thread, 'AB');
    const tokens = async (media: Media) => (await tokensOf(thread, 'A', media, 'B')) - text;
    expect(await tokens(low)).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 1, 48_000)))).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 40)))).toBe(2 * TOKENS_PER_RECORDING);
    expect(await tokens(recording(toneWav(220, 0.001)))).toBe(TOKENS_PER_RECORDING);
    expect(await tokens(recording(silentMp3(2), 'mp3'))).toBe(TOKENS_PER_RECORDING);
  });

  it('refuses what is no recording, and an image, and serves on', async () => {
    const expected = await say(thread, low, '?');
    const refusal = { data: { status: 400, param: 'messages', code: 'invalid_media' } };
    await expect(say(thread, recording(Buffer.from('no recording')), '?')).rejects.toMatchObject(refusal);
    await expect(say(thread, red, '?')).rejects.toMatchObject(refusal);
    expect(await say(thread, low, '?')).toBe(expected);
  });
});
