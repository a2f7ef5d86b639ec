import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { coloursFor, formatCount, formatDuration, formatTable, printable } from '../../src/serve/output.ts';

describe('output for people', () => {
  it.each([
    [512, '512'],
    [494_032_768, '494M'],
    [7_615_616_512, '7.6B'],
  ])('writes a count of %d as %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [0.4, '0:00'],
    [59.6, '1:00'],
    [309, '5:09'],
    [3909, '1:05:09'],
  ])('writes %d seconds as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  it('aligns columns, and figures to the right', () => {
    const rows = [
      ['id', 'size'],
      ['a', '10'],
      ['long', '2'],
    ];
    expect(formatTable(rows, { right: [1] })).toBe('id    size\na       10\nlong     2');
  });

  it('removes control characters from texts that others wrote', () => {
    expect(printable('a\u001b[2Jb\u0007\u009b\r\n\tc')).toBe('a[2Jb\n\tc');
    expect(formatTable([['\u001b[31mred']])).toBe('[31mred');
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [false, { CI: '1' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('has colours on a terminal (%s) in %j: %s', (isTTY, env, coloured) => {
    const stream = Object.assign(new PassThrough(), { isTTY });
    expect(coloursFor(stream, env).isColorSupported).toBe(coloured);
  });
});
