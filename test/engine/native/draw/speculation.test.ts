import { describe, expect, it } from 'vitest';
import { createDraftLength } from '../../../../src/engine/native/draw/draft-length.ts';
import { createSpeculation, type Draft } from '../../../../src/engine/native/draw/speculation.ts';
import { createPassTimes, type PassTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { onTwoCores } from '../step/measured-times.ts';

/** Returns times of passes that compute all their tokens at once. The latest pass had this many replies of one token. */
function timesAfter(replies: number): PassTimes {
  const times = createPassTimes(true);
  for (const tokens of [1, 2, 4, 8, 16, replies]) {
    const batches = [{ sequences: tokens, width: 1 }];
    times.note({ tokens, replies: tokens, batches, ms: onTwoCores(tokens) });
  }
  return times;
}

/** A draft that notes how many tokens it was asked for, and after how many pending ones. */
function recording(forSeveral: boolean) {
  const asked: { count: number; pending: number }[] = [];
  const draft: Draft = {
    tokenMs: () => 0.5,
    forSeveral,
    async guess(count, pending) {
      asked.push({ count, pending });
      return Array.from({ length: count }, () => 7);
    },
  };
  return { asked, draft };
}

const NO_LOOKUP = { update: () => {}, guess: () => [] };

describe('a draft', () => {
  it.each([
    { forSeveral: false, replies: 1, asks: true },
    { forSeveral: false, replies: 2, asks: false },
    { forSeveral: true, replies: 1, asks: true },
    { forSeveral: true, replies: 2, asks: true },
  ])('for several replies ($forSeveral) is asked beside $replies: $asks', async ({ forSeveral, replies, asks }) => {
    const { asked, draft } = recording(forSeveral);
    const { tokens } = await createSpeculation(timesAfter(replies), { lookup: NO_LOOKUP, draft }).guess(1, 15);
    expect(asked.length > 0).toBe(asks);
    expect(tokens).toHaveLength(asked[0]?.count ?? 0);
  });

  it('is not asked where the prompt has the tokens that follow', async () => {
    const { asked, draft } = recording(true);
    const lookup = { update: () => {}, guess: () => [1, 2, 3] };
    const { tokens } = await createSpeculation(timesAfter(1), { lookup, draft }).guess(1, 15);
    expect(tokens).toEqual([1, 2, 3]);
    expect(asked).toEqual([]);
  });

  it('has its success counted for all replies together, if it counts that itself', async () => {
    const { draft } = recording(true);
    const length = createDraftLength(timesAfter(1).lines);
    for (let reply = 0; reply < 2; reply++) {
      const speculation = createSpeculation(timesAfter(1), { lookup: NO_LOOKUP, draft: { ...draft, length } });
      const { tokens } = await speculation.guess(1, 15);
      speculation.note(tokens.length, 0);
    }
    expect(length.share).toBeLessThan(0.4);
  });

  it('is told how many tokens are pending', async () => {
    const { asked, draft } = recording(true);
    await createSpeculation(timesAfter(1), { lookup: NO_LOOKUP, draft }).guess(3, 15);
    expect(asked).toEqual([{ count: expect.any(Number), pending: 3 }]);
  });

  it('is asked ever more rarely beside other replies while the step evaluates none of its tokens', async () => {
    const { asked, draft } = recording(true);
    const speculation = createSpeculation(timesAfter(2), { lookup: NO_LOOKUP, draft });
    for (let pass = 0; pass < 100; pass++) {
      await speculation.guess(1, 15);
      speculation.note(0, 0);
    }
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(9);
  });
});
