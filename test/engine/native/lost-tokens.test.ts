import { describe, expect, it } from 'vitest';
import { createLostTokens } from '../../../src/engine/native/lost-tokens.ts';
import { createFakeSequence } from './step/fake-generation.ts';

describe('the tokens of a sequence that gave up its room', () => {
  it('are evaluated again in shares, until the sequence holds them all', async () => {
    const sequence = createFakeSequence();
    sequence.extend([1, 2, 3]);
    const lost = createLostTokens(sequence);
    expect([lost.left, lost.next(9)]).toEqual([0, undefined]);
    await lost.giveUp();
    expect([lost.left, sequence.length]).toEqual([3, 0]);
    expect(lost.next(0)).toBeUndefined();
    expect(lost.next(2)).toEqual({ tokens: [1, 2], logitsAt: [] });
    lost.regain([1, 2]);
    expect([lost.left, lost.next(2)]).toEqual([1, { tokens: [3], logitsAt: [] }]);
    lost.regain([3]);
    expect([lost.left, lost.next(2)]).toEqual([0, undefined]);
    expect(sequence.tokens).toEqual([1, 2, 3]);
  });

  it('stay the same if the sequence gives up its room before it holds them all', async () => {
    const sequence = createFakeSequence();
    sequence.extend([1, 2, 3]);
    const lost = createLostTokens(sequence);
    await lost.giveUp();
    lost.regain([1]);
    await lost.giveUp();
    expect([lost.left, lost.next(9)]).toEqual([3, { tokens: [1, 2, 3], logitsAt: [] }]);
  });

  it('are not lost once more where the sequence goes on and drops wrong guesses', async () => {
    const sequence = createFakeSequence();
    sequence.extend([1, 2]);
    const lost = createLostTokens(sequence);
    await lost.giveUp();
    lost.regain([1, 2]);
    await sequence.truncate(1);
    expect(lost.left).toBe(0);
  });

  it('are noted also if the sequence can not be emptied', async () => {
    const truncate = () => Promise.reject(new Error('closed'));
    const lost = createLostTokens({ ...createFakeSequence(), tokens: [1], truncate });
    await lost.giveUp();
    expect(lost.left).toBe(1);
  });
});
