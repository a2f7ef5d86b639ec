import { describe, expect, it } from 'vitest';
import { describeBeginning, typeOf } from '../../src/media/file-type.ts';
import { IMAGES, makeImage, makeMp3, makeWav } from './fixtures.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('the type of a file', () => {
  it.each(IMAGES)('is recognised for %s', async (type) => {
    expect(typeOf(await makeImage(type, { width: 8, height: 8 }))).toBe(type);
  });

  it('is recognised for recordings', () => {
    expect(typeOf(makeWav({ seconds: 0.1 }))).toBe('WAV');
    expect(typeOf(makeMp3({ frames: 2 }))).toBe('MP3');
    expect(typeOf(makeMp3({ frames: 2, tagBytes: 100 }))).toBe('MP3');
    expect(typeOf(makeMp3({ frames: 2, kind: 'mpeg25' }))).toBe('MP3');
  });

  it.each([
    ['PDF', '%PDF-1.7\n'],
    ['SVG', '\n<?xml version="1.0"?>\n<svg xmlns="">'],
    ['SVG', '<svg>'],
    ['XML', '<?xml version="1.0"?><feed>'],
    ['HTML', '\xef\xbb\xbf<!DOCTYPE html>'],
    ['JSON', '{"error": 1}'],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
    ['AVIF', '\0\0\0\x18ftypmif1\0\0\0\0mif1avif'],
    ['M4A', '\0\0\0\x14ftypM4A \0\0\0\0isom'],
    ['MP4', '\0\0\0\x14ftypisom\0\0\0\0iso2'],
    ['BMP', 'BM\0\0'],
    ['FLAC', 'fLaC\0'],
    [null, 'RIFF\0\0\0\0AVI '],
    [null, '\xff\xf1\x50\x80'],
    [null, 'hello'],
    [null, ''],
  ])('is %s for %j', (type, text) => {
    expect(typeOf(latin1(text))).toBe(type);
  });

  it('is named with the first bytes', () => {
    expect(describeBeginning(latin1('%PDF-1.7\n\xe2\xe3\xcf\xd3'))).toBe(
      'its first bytes are 25 50 44 46 2d 31 2e 37 0a e2 e3 cf ("%PDF-1.7...."), as those of PDF',
    );
    expect(describeBeginning(latin1('hello'))).toBe('its first bytes are 68 65 6c 6c 6f ("hello")');
    expect(describeBeginning(latin1(''))).toBe('it is empty');
  });
});
