import { describe, expect, it } from 'vitest';
import { createEnding } from '../../src/server/ending.ts';

describe('the ending of a request', () => {
  it('aborts its signal, for the first reason that is given', () => {
    const ending = createEnding();
    const signal = ending.signal();
    expect(signal.aborted).toBe(false);
    ending.abort('first');
    ending.abort('second');
    expect(signal).toMatchObject({ aborted: true, reason: 'first' });
    expect(ending.signal()).toBe(signal);
  });

  it('is told by a signal that is asked for after it', () => {
    const ending = createEnding();
    ending.abort('gone');
    expect(ending.signal()).toMatchObject({ aborted: true, reason: 'gone' });
  });
});
