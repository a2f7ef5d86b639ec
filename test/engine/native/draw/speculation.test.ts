import { describe, expect, it } from 'vitest';
import { createDraftLength } from '../../../../src/engine/native/draw/draft-length.ts';
import { createSpeculation, type Draft } from '../../../../src/engine/native/draw/speculation.ts';
import { createPassTimes, type PassTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { onTwoCores } from '../step/measured-times.ts';

/** Returns times of passes that compute all their tokens at once. The latest pass had this many replies, and tokens of prompts. */
function timesAfter(replies: number, prompts = 0): PassTimes {
  const times = createPassTimes(true);
  const note = (tokens: number, replies: number) =>
    times.note({ tokens, replies, batches: [{ sequences: tokens, width: 1 }], ms: onTwoCores(tokens) });
  for (const tokens of [1, 2, 4, 8, 16]) note(tokens, tokens);
  note(replies + prompts, replies);
  return times;
}

/** A draft that notes how many tokens it was asked for, and after how many pending ones. */
function recording() {
  const asked: { count: number; pending: number }[] = [];
  const draft: Draft = {
    tokenMs: () => 0.5,
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
    { replies: 1, prompts: 0, asks: true },
    { replies: 2, prompts: 0, asks: false },
    { replies: 1, prompts: 64, asks: false },
  ])('is asked beside $replies reply and $prompts tokens of prompts: $asks', async ({ replies, prompts, asks }) => {
    const { asked, draft } = recording();
    const speculation = createSpeculation(timesAfter(replies, prompts), { lookup: NO_LOOKUP, draft });
    const { tokens } = await speculation.guess(1, 15);
    expect(asked.length > 0).toBe(asks);
    expect(tokens).toHaveLength(asked[0]?.count ?? 0);
  });

  it('is not asked where the prompt has the tokens that follow', async () => {
    const { asked, draft } = recording();
    const lookup = { update: () => {}, guess: () => [1, 2, 3] };
    const { tokens } = await createSpeculation(timesAfter(1), { lookup, draft }).guess(1, 15);
    expect(tokens).toEqual([1, 2, 3]);
    expect(asked).toEqual([]);
  });

  it('has its success counted for all replies together, if it counts that itself', async () => {
    const { draft } = recording();
    const length = createDraftLength(timesAfter(1).lines);
    for (let reply = 0; reply < 2; reply++) {
      const speculation = createSpeculation(timesAfter(1), { lookup: NO_LOOKUP, draft: { ...draft, length } });
      const { tokens } = await speculation.guess(1, 15);
      speculation.note(tokens.length, 0);
    }
    expect(length.share).toBeLessThan(0.4);
  });

  it('is told how many tokens are pending', async () => {
    const { asked, draft } = recording();
    await createSpeculation(timesAfter(1), { lookup: NO_LOOKUP, draft }).guess(3, 15);
    expect(asked).toEqual([{ count: expect.any(Number), pending: 3 }]);
  });
});
