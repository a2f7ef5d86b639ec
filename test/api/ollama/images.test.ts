import { expect, it } from 'vitest';
import { toMediaParts } from '../../../src/api/ollama/images.ts';

const base64 = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64');

it.each<[what: string, data: string, kind: object]>([
  ['a PNG', base64('\x89PNG\r\n\x1a\n'), { kind: 'image' }],
  ['a WebP, which begins as a WAV does', base64('RIFF', [1, 2, 3, 4], 'WEBPVP8 '), { kind: 'image' }],
  ['a WAV', base64('RIFF', [1, 2, 3, 4], 'WAVEfmt '), { kind: 'audio', format: 'wav' }],
  ['a WAV of another size', base64('RIFF', [255, 0, 7, 0], 'WAVEfmt '), { kind: 'audio', format: 'wav' }],
  ['an MP3 with a tag', base64('ID3', [4, 0, 0]), { kind: 'audio', format: 'mp3' }],
  ['an MP3 without one', base64([0xff, 0xfb, 0x90, 0x64]), { kind: 'audio', format: 'mp3' }],
  ['an MP3 of a low rate', base64([0xff, 0xf3, 0x90, 0x64]), { kind: 'audio', format: 'mp3' }],
  ['a JPEG, which begins as an MP3 almost does', base64([0xff, 0xd8, 0xff, 0xe0]), { kind: 'image' }],
])('%s is told by its first bytes', (_, data, kind) => {
  expect(toMediaParts([data], 'images')).toMatchObject([{ kind: 'media', media: kind, param: 'images[0]' }]);
});

it('a data URI is taken too', () => {
  const [part] = toMediaParts(['data:image/jpeg;base64,/9j/4AAQ'], 'images');
  expect(part).toMatchObject({ media: { url: 'data:image/png;base64,/9j/4AAQ' } });
});
