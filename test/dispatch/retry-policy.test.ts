import { describe, expect, it } from 'vitest';
import { createRetryPolicy } from '../../src/dispatch/retry-policy.ts';

/** A crash: `own` if the request may have caused it, `outside` if something else did; and the tokens drawn until then. */
type Crash = ['own' | 'outside', number];

describe('the retry policy', () => {
  it.each<[string, Crash[], boolean[]]>([
    ['retries a request after its first crash', [['own', 0]], [true]],
    [
      'gives up at the second crash without progress',
      [
        ['own', 5],
        ['own', 5],
      ],
      [true, false],
    ],
    [
      'gives up at the second crash within 64 tokens',
      [
        ['own', 5],
        ['own', 68],
      ],
      [true, false],
    ],
    [
      'retries after 64 tokens of progress, as if it were the first crash',
      [
        ['own', 5],
        ['own', 69],
        ['own', 70],
      ],
      [true, true, false],
    ],
    [
      'counts a crash with an outside cause half',
      [
        ['outside', 0],
        ['outside', 0],
        ['outside', 0],
        ['outside', 0],
      ],
      [true, true, true, false],
    ],
    [
      'adds both kinds up',
      [
        ['outside', 0],
        ['own', 0],
        ['outside', 0],
      ],
      [true, true, false],
    ],
  ])('%s', (_, crashes, retried) => {
    const mayRetry = createRetryPolicy();
    expect(crashes.map(([cause, tokens]) => mayRetry(cause === 'outside', tokens))).toEqual(retried);
  });
});
