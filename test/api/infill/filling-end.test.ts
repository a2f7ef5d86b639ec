import { describe, expect, it } from 'vitest';
import { createFillingEnd } from '../../../src/api/infill/filling-end.ts';

/** Returns the text at the end, and whether it ended before all pieces came. */
function end(limits: { indent: number; timeMs: number }, ...pieces: [piece: string, ms: number][]) {
  const ending = createFillingEnd(limits);
  const ended = pieces.some(([piece, ms]) => ending.add(piece, ms));
  return { text: ending.text, ended };
}

describe('the ending of a filling', () => {
  it('comes at a line that is indented too little, which is left out', () => {
    const limits = { indent: 2, timeMs: 0 };
    expect(end(limits, ['a\n', 0], ['  b\n', 0], ['}', 0])).toEqual({ text: 'a\n  b\n', ended: true });
    expect(end(limits, ['a\n\n\t\tb', 0])).toEqual({ text: 'a\n\n\t\tb', ended: false });
    expect(end(limits, ['a\n ', 0])).toEqual({ text: 'a\n ', ended: false });
  });

  it('comes with the first end of a line after the time, and not within a line', () => {
    const limits = { indent: 0, timeMs: 100 };
    expect(end(limits, ['a\n', 50], ['b', 150], ['c\n', 160], ['d', 170])).toEqual({ text: 'a\nbc\n', ended: true });
    expect(end(limits, ['a', 50], ['b', 500])).toEqual({ text: 'ab', ended: false });
  });

  it('does not come without limits', () => {
    expect(end({ indent: 0, timeMs: 0 }, ['a\n', 0], ['b\n', 1e6])).toEqual({ text: 'a\nb\n', ended: false });
  });
});
