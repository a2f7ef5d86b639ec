import { describe, expect, it } from 'vitest';
import { MEDIA_LIMITS } from '../../../../src/media/limits.ts';
import { toMono } from '../../../../src/media/mono.ts';
import { readRecording } from '../../../../src/media/reader.ts';
import { writeWav } from '../../../../web/chat/attachments/wav.ts';

describe('a recording', () => {
  it('is written as a WAV file that our own reader takes, with the samples that were given', () => {
    const file = writeWav(
      Float32Array.from({ length: 16_000 }, (_, index) => [0, 0.5, -1, 2][index % 4] ?? 0),
      16_000,
    );
    expect(readRecording(file, 'wav', MEDIA_LIMITS)).toMatchObject({ channels: 1, seconds: 1 });
    const view = new DataView(file.buffer, 44);
    expect([0, 2, 4, 6].map((at) => view.getInt16(at, true))).toEqual([0, 16_384, -32_767, 32_767]);
  });

  it('has one channel: the middle of all', () => {
    expect([...toMono([Float32Array.of(1, 0), Float32Array.of(0, -1)])]).toEqual([0.5, -0.5]);
    expect(toMono([])).toHaveLength(0);
  });
});
