import { describe, expect, it } from 'vitest';
import { explainMiss } from '../../../../src/engine/native/prefix/cache-miss.ts';

const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

describe('why no more of a prompt was cached', () => {
  it('needs no words where all was, or where the prompt only goes on', () => {
    expect(explainMiss(tokens(100), 99, 0, [tokens(300)])).toBeNull();
    expect(explainMiss(tokens(100), 60, 0, [tokens(60)])).toBeNull();
  });

  it('is that nothing like it was cached', () => {
    expect(explainMiss(tokens(100), 0, 0, [])).toEqual({ at: 0, why: 'new' });
    expect(explainMiss(tokens(100), 10, 0, [[...tokens(10), ...tokens(500, 1000)]])).toEqual({ at: 10, why: 'new' });
  });

  it('is that it was given up', () => {
    expect(explainMiss(tokens(100), 16, 64, [])).toEqual({ at: 16, why: 'evicted' });
    expect(explainMiss(tokens(100), 60, 64, [])).toEqual({ at: 60, why: 'new' });
  });

  it('is a change: late in the conversation, or early, with the rest as it was', () => {
    expect(explainMiss(tokens(100), 80, 0, [[...tokens(80), ...tokens(9, 1000)]])).toEqual({ at: 80, why: 'changed' });
    const dated = (day: number) => [...tokens(20), day, day, ...tokens(400, 2000)];
    expect(explainMiss([...dated(5000), ...tokens(30)], 20, 0, [dated(6000)])).toEqual({ at: 20, why: 'changed' });
    const longer = [...tokens(20), ...tokens(3, 7000), ...tokens(400, 2000)];
    expect(explainMiss(longer, 0, 0, [dated(6000)])).toEqual({ at: 20, why: 'changed' });
  });
});
