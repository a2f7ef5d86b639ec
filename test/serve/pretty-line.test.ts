import { describe, expect, it } from 'vitest';
import { plain } from '../../src/serve/output.ts';
import { prettyLine } from '../../src/serve/pretty-line.ts';

const at = new Date(2026, 10, 22, 9, 5, 7);

describe('a line of the log for people', () => {
  it('has the time, the level, the message and the fields', () => {
    const fields = { model: 'tiny', ms: 12.5, why: 'two words', list: [1], none: undefined };
    expect(prettyLine({ at, level: 'info', message: 'request', fields }, plain)).toBe(
      '09:05:07 info  request model=tiny ms=12.5 why="two words" list=[1]',
    );
  });

  it('has a stack below it, and nothing that could move the cursor', () => {
    const fields = { error: 'a\u001b[2Jb', stack: 'Error: x\n    at y' };
    expect(prettyLine({ at, level: 'error', message: 'failed', fields }, plain)).toBe(
      '09:05:07 error failed error=a[2Jb\nError: x\n    at y',
    );
  });
});
