// @module-tag slow
import { describe, expect, it } from 'vitest';
import { decodeAudio } from '../../../../src/media/node/audio/decode-audio.ts';
import { FLAC_HEADER_BYTES } from '../../../../src/media/node/audio/flac.ts';
import { MediaProblem } from '../../../../src/media/problem.ts';
import { readWav } from '../../../../src/media/wav.ts';
import { makeFlac } from '../../../kit/files/flac.ts';
import { makeOgg, makeOpus, SILENCE } from '../../../kit/files/ogg.ts';

const LIMIT = 1800;

function tone(hertz: number, seconds: number, rate = 16_000, loudness = 20_000): Int16Array {
  return Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(loudness * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );
}

async function decode(file: Uint8Array, type: 'FLAC' | 'Ogg' = 'FLAC', limit = LIMIT) {
  const wav = await decodeAudio(file, type, limit);
  const samples = new Int16Array(wav.slice(44).buffer);
  return { samples, seconds: readWav(wav).seconds };
}

async function problemOf(file: Uint8Array, type: 'FLAC' | 'Ogg' = 'FLAC', limit = LIMIT) {
  const error = await decode(file, type, limit).catch((thrown: unknown) => thrown);
  if (!(error instanceof MediaProblem)) throw new Error(`no problem: ${String(error)}`);
  return `${error.code}: ${error.message}`;
}

/** Returns the largest difference of two lists of samples. */
function difference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  expect(one.length).toBe(other.length);
  let most = 0;
  for (let index = 0; index < one.length; index++)
    most = Math.max(most, Math.abs((one[index] ?? 0) - (other[index] ?? 0)));
  return most;
}

describe('a FLAC', () => {
  const sound = tone(440, 1);

  it.each(['verbatim', 'fixed', 'lpc'] as const)('of %s frames has the samples that were encoded', async (kind) => {
    const { samples } = await decode(makeFlac([sound], { kind }));
    expect(difference(samples, sound)).toBeLessThanOrEqual(1);
  });

  it.each([undefined, 8, 9, 10] as const)('of two channels, stored as %s, becomes their mean', async (assignment) => {
    const other = tone(220, 1, 16_000, 5000);
    const file = makeFlac([sound, other], { kind: 'fixed', ...(assignment && { assignment }) });
    const mean = sound.map((sample, index) => (sample + (other[index] ?? 0)) / 2);
    expect(difference((await decode(file)).samples, mean)).toBeLessThanOrEqual(1);
  });

  it('of another rate is converted to 16 kHz, and keeps its pitch', async () => {
    const { samples, seconds } = await decode(makeFlac([tone(440, 1, 44_100)], { rate: 44_100, kind: 'fixed' }));
    expect(seconds).toBeCloseTo(1, 2);
    const inner = (list: Int16Array) => list.subarray(200, 15_000);
    expect(difference(inner(samples), inner(sound))).toBeLessThan(300);
  });

  it('loses the frequencies that 16 kHz can not have', async () => {
    const { samples } = await decode(makeFlac([tone(15_000, 1, 48_000)], { rate: 48_000 }));
    expect(Math.max(...samples.subarray(200, 15_000))).toBeLessThan(400);
  });

  it('in Ogg is decoded as well', async () => {
    const flac = makeFlac([sound], { kind: 'fixed' });
    const head = Buffer.concat([Buffer.from('\x7fFLAC\x01\0\0\x01', 'latin1'), flac.subarray(0, FLAC_HEADER_BYTES)]);
    const ogg = makeOgg([head, Buffer.from('\x84\0\0\0', 'latin1'), flac.subarray(FLAC_HEADER_BYTES)]);
    expect(difference((await decode(ogg, 'Ogg')).samples, sound)).toBeLessThanOrEqual(1);
  });

  it('that is too long by its header is refused before it is decoded', async () => {
    const file = makeFlac([tone(440, 0.1)], { declared: 16_000 * 1801 });
    await expect(problemOf(file)).resolves.toBe('media_too_large: lasts 1801 seconds, longer than the limit of 1800.');
  });

  it('that is longer than its header says is refused once it has too many samples', async () => {
    const file = makeFlac([new Int16Array(16_000 * 40)], { kind: 'constant', declared: 16_000 });
    expect(file.length).toBeLessThan(4000);
    await expect(problemOf(file, 'FLAC', 30)).resolves.toBe(
      'media_too_large: lasts longer than the limit of 30 seconds.',
    );
  });

  it.each([
    ['cut off within a frame', makeFlac([sound]).subarray(0, 5000)],
    ['cut off within its header', makeFlac([sound]).subarray(0, 30)],
    ['of a header alone', makeFlac([sound]).subarray(0, FLAC_HEADER_BYTES)],
    ['with something else for a frame', Buffer.concat([makeFlac([sound]).subarray(0, 42), Buffer.alloc(5000, 1)])],
    ['of zeros for a frame', Buffer.concat([makeFlac([sound], { kind: 'fixed' }).subarray(0, 70), Buffer.alloc(5000)])],
  ])('%s is refused', async (_, file) => {
    await expect(problemOf(file)).resolves.toMatch(/^invalid_media: /);
  });

  it('of six channels is refused', async () => {
    const file = makeFlac(Array.from({ length: 6 }, () => sound));
    await expect(problemOf(file)).resolves.toBe('invalid_media: has 6 channels: only mono and stereo are taken.');
  });
});

describe('an Ogg with Opus', () => {
  it('has the length of its packets, less what its header skips', async () => {
    const { samples, seconds } = await decode(makeOpus(Array<Uint8Array>(100).fill(SILENCE)), 'Ogg');
    expect(seconds).toBeCloseTo(2, 1);
    expect(samples.every((sample) => sample === 0)).toBe(true);
  });

  it('may have any packets: they sound like noise', async () => {
    const packets = Array.from({ length: 50 }, (_, index) =>
      Uint8Array.from({ length: 80 }, (_, at) => (at === 0 ? 0xf8 : (index * 7919 + at * 104_729) % 251)),
    );
    const { samples } = await decode(makeOpus(packets), 'Ogg');
    expect(samples.some((sample) => sample !== 0)).toBe(true);
  });

  it('that is too long is refused before it is decoded', async () => {
    // Each packet of two bytes holds 48 frames of 2.5 ms.
    const file = makeOpus(Array<Uint8Array>(15_001).fill(Uint8Array.of(0xe3, 48)));
    await expect(problemOf(file, 'Ogg')).resolves.toMatch(/^media_too_large: lasts 1801 seconds/);
  });

  it.each([
    ['cut off after its headers', makeOpus([])],
    ['of six channels', makeOpus([SILENCE], 6)],
    ['of no whole packet', makeOpus([SILENCE]).subarray(0, 40)],
    ['with Vorbis', makeOgg([Buffer.from('\x01vorbis and more', 'latin1')])],
    ['with something else', makeOgg([Buffer.from('something else')])],
    ['with a broken page', Buffer.concat([makeOpus([SILENCE]), Buffer.alloc(100, 7)])],
  ])('%s is refused', async (_, file) => {
    await expect(problemOf(file, 'Ogg')).resolves.toMatch(/^invalid_media: /);
  });
});
