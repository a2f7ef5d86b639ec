import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../../web/chat/data/search.ts';

describe('an excerpt', () => {
  it('has the words that were looked for, whatever their case, with some around them on one line', () => {
    expect(excerptOf('All of it.', 'OF')).toBe('All of it.');
    const text = `${'before '.repeat(20)}the\nWords ${'after '.repeat(40)}`;
    const excerpt = excerptOf(text, 'the words') ?? '';
    expect(excerpt).toMatch(/^….*the Words after .*…$/);
    expect(excerpt.length).toBeLessThan(120);
  });

  it('is there only if the words are', () => {
    expect(excerptOf('All of it.', 'none')).toBeNull();
  });
});
