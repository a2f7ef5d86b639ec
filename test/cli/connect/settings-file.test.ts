import { describe, expect, it } from 'vitest';
import { formatSettingsFile, mergedText } from '../../../src/cli/connect/settings-file.ts';

const json = (value: object) => ({ format: 'json' as const, value });

describe('a settings file', () => {
  it('is new where there is none, or an empty one', () => {
    expect(mergedText(null, json({ a: 1 }))).toBe('{\n  "a": 1\n}\n');
    expect(mergedText(' \n', { format: 'text', text: 'a = 1\n' })).toBe('a = 1\n');
  });

  it('keeps what it has, and gets what is new', () => {
    const existing = JSON.stringify({ theme: 'dark', env: { OTHER: 'x', URL: 'old' } });
    expect(JSON.parse(mergedText(existing, json({ env: { URL: 'new' } })) ?? '')).toEqual({
      theme: 'dark',
      env: { OTHER: 'x', URL: 'new' },
    });
  });

  it.each([
    ['has comments', '// mine\n{}'],
    ['is a list', '[]'],
    ['is broken', '{'],
  ])('is left alone if it %s', (_, existing) => {
    expect(mergedText(existing, json({ a: 1 }))).toBeNull();
  });

  it('is left alone if it has another format and other text', () => {
    expect(mergedText('b = 2\n', { format: 'text', text: 'a = 1\n' })).toBeNull();
    expect(mergedText('a = 1\n', { format: 'text', text: 'a = 1\n' })).toBe('a = 1\n');
  });

  it('does not change when it is written twice', () => {
    const once = mergedText('{"theme": "dark"}', json({ env: { URL: 'x' } }));
    expect(mergedText(once, json({ env: { URL: 'x' } }))).toBe(once);
    expect(formatSettingsFile(json({}))).toBe('{}\n');
  });
});
