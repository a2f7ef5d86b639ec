import { describe, expect, it } from 'vitest';
import { readMp3 } from '../../src/media/mp3.ts';
import { readWav } from '../../src/media/wav.ts';
import { makeMp3, makeWav } from './fixtures.ts';

describe('a WAV file', () => {
  it.each([
    { seconds: 2 },
    { seconds: 0.5, rate: 8_000, bits: 8 },
    { seconds: 0.5, rate: 44_100, channels: 2 },
    { seconds: 0.5, rate: 48_000, channels: 2, bits: 24 },
    { seconds: 0.5, rate: 96_000, bits: 32, codec: 3 },
    { seconds: 0.5, rate: 8_000, bits: 8, codec: 7 },
  ])('of %j is passed on unchanged', (kind) => {
    const file = makeWav(kind);
    const { bytes, ...told } = readWav(file);
    expect(bytes).toBe(file);
    expect(told).toEqual({ channels: kind.channels ?? 1, seconds: kind.seconds });
  });

  it('may have other chunks before its samples, even of odd lengths', () => {
    const plain = makeWav({ seconds: 1 });
    const note = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
    const file = Buffer.concat([plain.subarray(0, 12), note, plain.subarray(12)]);
    expect(readWav(file)).toMatchObject({ channels: 1, seconds: 1 });
  });

  it('may have the extensible form', () => {
    const plain = makeWav({ seconds: 1 });
    const file = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(24), plain.subarray(36)]);
    file.writeUInt32LE(40, 16);
    file.writeUInt16LE(0xfffe, 20);
    file.writeUInt16LE(1, 44);
    expect(readWav(file)).toMatchObject({ channels: 1, seconds: 1 });
  });

  it('without a length in its header gets the right one', () => {
    const whole = makeWav({ seconds: 1 });
    const streamed = Buffer.from(whole);
    streamed.writeUInt32LE(0xffffffff, 4);
    streamed.writeUInt32LE(0xffffffff, 40);
    const { bytes, seconds } = readWav(streamed);
    expect(seconds).toBe(1);
    expect(Buffer.from(bytes).equals(whole)).toBe(true);
    expect(streamed.readUInt32LE(40)).toBe(0xffffffff);
  });

  it('has a duration that follows from its sample rate', () => {
    expect(readWav(makeWav({ seconds: 10_000, rate: 1, bits: 8 })).seconds).toBe(10_000);
  });

  it.each([
    ['cut within its samples', makeWav({ seconds: 1 }).subarray(0, 1000), 'it ends after 1000 of 32044 bytes.'],
    ['cut within its header', makeWav({ seconds: 1 }).subarray(0, 30), 'it ends after 30 of 36 bytes.'],
    ['of a header alone', makeWav({ seconds: 1 }).subarray(0, 36), 'it has 36 bytes and no samples.'],
    ['without samples', makeWav({ seconds: 0 }), 'is a WAV without any samples.'],
    ['of ADPCM', makeWav({ seconds: 1, codec: 0x11 }), 'in a form that is not known here (0x11): PCM is.'],
    [
      'without channels',
      makeWav({ seconds: 1, channels: 0 }),
      '0 channels of 16 bits do not make 0 bytes at 16000 Hz.',
    ],
    ['at no rate', makeWav({ seconds: 1, rate: 0 }), 'at 0 Hz.'],
    ['whose samples come first', samplesFirst(), 'its samples come before what describes them.'],
  ])('%s is refused', (_, file, message) => {
    expect(() => readWav(file)).toThrow(message);
  });
});

describe('an MP3 file', () => {
  it.each([
    ['of MPEG 1', { frames: 100 }, 100 * (1152 / 44_100), 2],
    ['of MPEG 2', { frames: 100, kind: 'mpeg2' }, 100 * (576 / 22_050), 2],
    ['of MPEG 2.5', { frames: 100, kind: 'mpeg25' }, 100 * (576 / 8_000), 1],
    ['with a tag', { frames: 100, tagBytes: 5_000 }, 100 * (1152 / 44_100), 2],
    ['that tells its length', { frames: 100, declared: 100 }, 101 * (1152 / 44_100), 2],
  ] as const)('%s is as long as its frames', (_, kind, seconds, channels) => {
    const file = makeMp3(kind);
    const { bytes, ...told } = readMp3(file);
    expect(bytes).toBe(file);
    expect(told).toEqual({ channels, seconds: expect.closeTo(seconds) });
  });

  it('may have a tag after its frames and other bytes between them', () => {
    const frames = makeMp3({ frames: 10 });
    const file = Buffer.concat([
      frames,
      Buffer.from([0xff, 0xfb, 0x90, 0, 1, 2, 3]),
      frames,
      Buffer.from('TAGsome song'),
    ]);
    expect(readMp3(file).seconds).toBeCloseTo(20 * (1152 / 44_100));
  });

  it.each([
    [
      'cut within a frame',
      makeMp3({ frames: 10 }).subarray(0, 4_000),
      'it ends after 4000 bytes, within its frame 10.',
    ],
    ['cut between frames', makeMp3({ frames: 10, declared: 20 }), 'it has 11 of the 20 frames that it should have.'],
    ['of a tag alone', makeMp3({ frames: 0, tagBytes: 100 }), 'it has no two frames after one another.'],
    ['whose tag is cut off', makeMp3({ frames: 2, tagBytes: 100 }).subarray(0, 50), 'it has no two frames'],
    ['of a single frame', makeMp3({ frames: 1 }), 'it has no two frames after one another.'],
  ])('%s is refused', (_, file, message) => {
    expect(() => readMp3(file)).toThrow(message);
  });
});

function samplesFirst(): Buffer {
  const plain = makeWav({ seconds: 0.1 });
  return Buffer.concat([plain.subarray(0, 12), plain.subarray(36), plain.subarray(12, 36)]);
}
