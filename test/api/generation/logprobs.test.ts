import { describe, expect, it } from 'vitest';
import { toLogprobs } from '../../../src/api/generation/logprobs.ts';
import { tokenLogprob } from '../fixtures.ts';

describe('logprobs', () => {
  it('have each token, its bytes, its log probability and the most likely alternatives', () => {
    expect(toLogprobs([tokenLogprob('é', 'e', 'a'), tokenLogprob('x')])).toEqual({
      content: [
        {
          token: 'é',
          logprob: -0.5,
          bytes: [0xc3, 0xa9],
          top_logprobs: [
            { token: 'e', logprob: -0.5, bytes: [0x65] },
            { token: 'a', logprob: -0.5, bytes: [0x61] },
          ],
        },
        { token: 'x', logprob: -0.5, bytes: [0x78], top_logprobs: [] },
      ],
      refusal: null,
    });
  });

  it('are finite even for an impossible token', () => {
    const impossible = { ...tokenLogprob('x'), logprob: Number.NEGATIVE_INFINITY };
    const { content } = toLogprobs([{ ...impossible, alternatives: [impossible] }]);
    expect(content).toMatchObject([{ logprob: -9999, top_logprobs: [{ logprob: -9999 }] }]);
  });
});
