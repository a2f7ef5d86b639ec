import { describe, expect, it } from 'vitest';
import { hasBannedText } from '../../src/chat/banned-texts.ts';
import { MEDIA_MARK } from '../../src/contract/media.ts';
import { chat } from '../kit/generation.ts';

const text = (text: string) => ({ kind: 'text', text }) as const;

describe('a banned text', () => {
  it.each([
    ['a text', text('A sEcret.')],
    [
      'a message',
      chat([
        { role: 'user', content: 'hello' },
        { role: 'user', content: 'the Secret' },
      ]),
    ],
    ['what stands before a gap', { kind: 'infill', prefix: 'SECRET', suffix: '' } as const],
    ['what stands after a gap', { kind: 'infill', prefix: '', suffix: 'secret' } as const],
  ])('is found in %s, in any case', (_, prompt) => {
    expect(hasBannedText({ prompt, banned: ['other', 'SecreT'] })).toBe(true);
    expect(hasBannedText({ prompt, banned: ['other'] })).toBe(false);
    expect(hasBannedText({ prompt, banned: [] })).toBe(false);
  });

  it('is found wherever it begins in a long text', () => {
    for (let before = 65_520; before < 65_550; before += 1) {
      const long = `${'x'.repeat(before)}ÜBER𐐀!${'y'.repeat(70_000)}`;
      expect(hasBannedText({ prompt: text(long), banned: ['über𐐨!'] }), String(before)).toBe(true);
    }
  });

  it('is not found in tokens, in the marks of images or across one', () => {
    expect(hasBannedText({ prompt: { kind: 'tokens', tokens: [1] }, banned: ['a'] })).toBe(false);
    const prompt = chat([{ role: 'user', content: `se${MEDIA_MARK}cret` }]);
    expect(hasBannedText({ prompt, banned: ['media', 'secret'] })).toBe(false);
  });

  it('is found in a question for a decision model: in its state with all keys, in its labels, and not in words of the template', () => {
    const team = {
      id: 'team',
      type: 'choice' as const,
      instructions: 'Who?',
      options: [{ key: 'bill', description: null }],
    };
    const prompt = { kind: 'decision' as const, values: { ...team, state: { a: [{ secret: 'told' }] }, images: [] } };
    for (const banned of ['secret', 'told', 'team', 'who', 'bill'])
      expect(hasBannedText({ prompt, banned: [banned] }), banned).toBe(true);
    expect(hasBannedText({ prompt, banned: ['choice', 'options', 'instructions', 'description'] })).toBe(false);
  });
});
