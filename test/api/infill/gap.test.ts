import { describe, expect, it } from 'vitest';
import { type Gap, shortenGap, toGap } from '../../../src/api/infill/gap.ts';

const lines = (count: number, word: string) => Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join('');

describe('a gap', () => {
  it('has the line before the cursor behind the prefix, and a name for each file', () => {
    const input_extra = [{ text: 'a', filename: 'a.ts' }, { text: 'b' }];
    expect(toGap({ input_prefix: 'one\n', prompt: '  tw', input_suffix: '\nthree', input_extra })).toEqual({
      prefix: 'one\n  tw',
      suffix: '\nthree',
      files: [
        { name: 'a.ts', text: 'a' },
        { name: 'file', text: 'b' },
      ],
    });
  });
});

describe('a gap that is too long', () => {
  const gap: Gap = {
    prefix: lines(100, 'before'),
    suffix: lines(100, 'after'),
    files: [
      { name: 'old.ts', text: 'x'.repeat(2000) },
      { name: 'new.ts', text: 'y'.repeat(300) },
    ],
  };
  const length = ({ prefix, suffix, files }: Gap) =>
    prefix.length + suffix.length + files.map(({ text }) => text.length).reduce((sum, one) => sum + one, 0);

  it('loses its oldest files first', () => {
    const short = shortenGap(gap, 1000, 600);
    expect(short.files.map(({ name }) => name)).toEqual(['new.ts']);
    expect(short.prefix).toBe(gap.prefix);
    expect(short.suffix).toBe(gap.suffix);
  });

  it('keeps the text around the cursor, more before it than behind it', () => {
    const short = shortenGap(gap, 1000, 100);
    expect(length(short)).toBeLessThan(length(gap) / 9);
    expect(gap.prefix.endsWith(short.prefix)).toBe(true);
    expect(gap.suffix.startsWith(short.suffix)).toBe(true);
    expect(short.prefix.length).toBeGreaterThan(short.suffix.length);
    expect(short.prefix).toMatch(/^before \d+\n/);
    expect(short.files).toEqual([]);
  });

  it('begins at the same place for many keystrokes, so that its beginning is cached', () => {
    const starts = new Set<number>();
    for (let typed = 0; typed < 20; typed++) {
      const prefix = gap.prefix + 'z'.repeat(typed);
      const tokens = Math.ceil((1000 * (length(gap) + typed)) / length(gap));
      starts.add(prefix.indexOf(shortenGap({ ...gap, prefix }, tokens, 200).prefix));
    }
    expect(starts.size).toBeLessThanOrEqual(2);
  });

  it('is empty where there is no room', () => {
    expect(shortenGap(gap, 1000, -5)).toEqual({ prefix: '', suffix: '', files: [] });
  });
});
