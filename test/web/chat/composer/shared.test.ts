import { describe, expect, it } from 'vitest';
import { sharedText } from '../../../../web/chat/composer/shared.ts';

const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`;

describe('what another app shares', () => {
  it('is its title, text and link, a line each', () => {
    const shared = sharedText(query({ title: 'A headline', text: 'Two lines\nof text', url: 'https://example.com/' }));
    expect(shared).toBe('A headline\nTwo lines\nof text\nhttps://example.com/');
  });

  it('is said once where an app says it twice', () => {
    const url = 'https://example.com/a?b=c&d';
    expect(sharedText(query({ title: 'Look', text: `Look ${url}`, url }))).toBe(`Look ${url}`);
    expect(sharedText(query({ title: url, text: url, url: '' }))).toBe(url);
  });

  it.each(['', '?', '?text=', '?text=%20&other=words'])('is nothing in the address %j', (search) => {
    expect(sharedText(search)).toBeNull();
  });
});
