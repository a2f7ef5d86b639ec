import sharp from 'sharp';
import { makeFlac } from '../../kit/files/flac.ts';
import { png, samplesOf, silentMp3, toneWav } from '../../kit/files/media.ts';
import { makeOpus, SILENCE } from '../../kit/files/ogg.ts';

/** A file of a kind, and a name for reports. */
export interface MediaFile {
  name: string;
  kind: 'image' | 'recording';
  file: Buffer;
}

/** Makes valid files of all types, to be mutated. */
export async function makeOriginals(): Promise<MediaFile[]> {
  const plain = Buffer.from(png(96, 64, (x, y) => [x * 2, y * 3, (x * y) % 256]));
  const types = ['png', 'jpeg', 'gif', 'webp', 'avif'] as const;
  const images = await Promise.all(
    types.map(async (type): Promise<MediaFile> => {
      const file = await sharp(plain)
        .toFormat(type, type === 'avif' ? { effort: 0 } : {})
        .toBuffer();
      return { name: type, kind: 'image', file };
    }),
  );
  const samples = samplesOf(toneWav(440, 1));
  return [
    ...images,
    recording('wav', toneWav(440, 2)),
    recording('mp3', silentMp3(2)),
    recording('flac', makeFlac([samples], { kind: 'lpc' })),
    recording('opus', makeOpus(Array<Uint8Array>(100).fill(SILENCE))),
  ];
}

/** Makes files that are valid or nearly so, and unpack to far more than they have, or have odd sizes. */
export async function makeHostile(): Promise<MediaFile[]> {
  const black = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'black' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
  const [dot, line, column, large] = await Promise.all([
    black(1, 1),
    black(20_000, 1),
    black(1, 20_000),
    black(8000, 7999),
  ]);
  // The header promises less than the pixels are, or more than is allowed.
  const lying = (file: Buffer, width: number, height: number) => {
    const copy = Buffer.from(file);
    copy.writeUInt32BE(width, 16);
    copy.writeUInt32BE(height, 20);
    return copy;
  };
  const endless = Buffer.from(toneWav(440, 1));
  endless.writeUInt32LE(0xffffffff, 40);
  const slow = Buffer.from(toneWav(440, 1));
  slow.writeUInt32LE(1, 24);
  return [
    image('1 x 1', dot),
    image('20,000 x 1', line),
    image('1 x 20,000', column),
    image('64 million pixels', large),
    image('more pixels than its header', lying(large, 10, 10)),
    image('fewer pixels than its header', lying(dot, 60_000, 60_000)),
    image('no pixels', lying(dot, 0, 0)),
    recording('a WAV without a length', endless),
    recording('a WAV of one sample a second', slow),
    recording('a WAV of one sample', toneWav(440, 1 / 16_000)),
    recording('a WAV of 40 minutes', toneWav(440, 2400, 1000)),
    recording('an MP3 of 31 minutes', silentMp3(1860)),
    recording('an MP3 of 100 seconds', silentMp3(100)),
    recording('a FLAC of silence', makeFlac([new Int16Array(16_000 * 60)], { kind: 'constant', declared: 0 })),
    recording('a FLAC of 20 days by its header', makeFlac([new Int16Array(16)], { declared: 2 ** 35 })),
    recording('an Opus of 33 minutes in 33 kB', makeOpus(Array<Uint8Array>(16_500).fill(Uint8Array.of(0xe3, 48)))),
  ];
}

function image(name: string, file: Uint8Array): MediaFile {
  return { name, kind: 'image', file: Buffer.from(file) };
}

function recording(name: string, file: Uint8Array): MediaFile {
  return { name, kind: 'recording', file: Buffer.from(file) };
}
