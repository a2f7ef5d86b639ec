import { describe, expect, it } from 'vitest';
import { createPassTimes, createTokenTimes, type TokenTimes } from '../../../../src/engine/native/step/pass-times.ts';
import { measured, onTwoCores } from './measured-times.ts';

/** How many times as long as a micro-batch of `tokens` tokens one of `more` takes. */
const ratio = (times: TokenTimes, tokens: number, more: number) => times.of(more) / times.of(tokens);

describe('the times of micro-batches', () => {
  it('are guessed until they are measured', () => {
    const times = createTokenTimes();
    expect(ratio(times, 1, 4)).toBeCloseTo(1.5, 1);
    expect(ratio(times, 1, 16)).toBeCloseTo(2.3, 1);
    times.note(1, 20);
    expect(ratio(times, 1, 4)).toBeCloseTo(1.5, 1);
  });

  it('are those that were measured, and between two of them in between', () => {
    const times = measured((tokens) => 10 + tokens);
    expect(ratio(times, 1, 8)).toBeCloseTo(18 / 11, 1);
    const five = ratio(times, 1, 5);
    expect(five).toBeGreaterThan(ratio(times, 1, 4));
    expect(five).toBeLessThan(ratio(times, 1, 6));
  });

  it('are assumed to go on as they grew last, beyond those that were measured', () => {
    // The weights are read once for all tokens: 22 ms, and 0.75 for each token.
    const weightsAndTokens = (tokens: number) => 22 + 0.75 * tokens;
    const times = createTokenTimes();
    for (const tokens of [8, 16]) for (let count = 0; count < 3; count++) times.note(tokens, weightsAndTokens(tokens));
    expect(times.of(64)).toBeCloseTo(weightsAndTokens(64), 0);
    // Of few tokens, 16 may take less than the line says.
    expect(times.of(17)).toBeLessThan(1.1 * times.of(16));
  });

  it('follow a machine that becomes slower, but not a single slow one', () => {
    const times = measured(onTwoCores);
    const before = ratio(times, 1, 8);
    times.note(8, 5000);
    expect(ratio(times, 1, 8)).toBeLessThan(before * 1.11);
    for (let count = 0; count < 50; count++) times.note(8, 500);
    expect(ratio(times, 1, 8)).toBeGreaterThan(8);
  });

  it('forget one that was slow by chance, though no other of its kind is tried', () => {
    const times = createTokenTimes();
    times.note(1, 20);
    times.note(4, 1000);
    expect(ratio(times, 1, 4)).toBeGreaterThan(40);
    for (let count = 0; count < 1500; count++) times.note(1, 20);
    expect(ratio(times, 1, 4)).toBeLessThan(2.2);
  });
});

describe('what a pass tells', () => {
  const row = (sequences: number) => ({ sequences, width: 1 });
  const line = (width: number) => ({ sequences: 1, width });
  const pass = { tokens: 9, replies: 2 };

  it('is what the latest had', () => {
    const times = createPassTimes();
    times.note({ tokens: 9, replies: 2, batches: [row(2), line(7)], ms: 5 });
    expect(times.latest).toEqual({ tokens: 9, replies: 2 });
  });

  it('is the time of its micro-batches, if they are alike', () => {
    const times = createPassTimes();
    times.note({ ...pass, batches: [row(4)], ms: 40 });
    expect(times.of(row(4))).toBe(40);
    times.note({ ...pass, batches: [row(8), row(8)], ms: 140 });
    expect(times.of(row(8))).toBe(70);
  });

  it('tells tokens of one sequence apart from those of several', () => {
    const times = createPassTimes();
    times.note({ ...pass, batches: [row(8)], ms: 80 });
    times.note({ ...pass, batches: [line(8)], ms: 50 });
    times.note({ ...pass, batches: [row(1)], ms: 20 });
    expect([times.rows.of(8), times.lines.of(8)].map(Math.round)).toEqual([80, 50]);
    expect([times.rows.of(1), times.lines.of(1)]).toEqual([20, 20]);
  });

  it('leaves what was measured by itself as it is, and corrects the rest', () => {
    const times = createPassTimes();
    times.note({ ...pass, batches: [row(4)], ms: 40 });
    times.note({ ...pass, batches: [row(4), line(64)], ms: 240 });
    expect([times.of(row(4)), times.of(line(64))].map(Math.round)).toEqual([40, 200]);
    for (let count = 0; count < 20; count++) times.note({ ...pass, batches: [row(4), line(64)], ms: 140 });
    expect(times.of(row(4))).toBeCloseTo(40, 0);
    expect(times.of(line(64))).toBeLessThan(120);
  });

  it('corrects what was measured long ago', () => {
    const times = createPassTimes();
    times.note({ ...pass, batches: [row(14)], ms: 50 });
    times.note({ ...pass, batches: [row(1)], ms: 20 });
    for (let count = 0; count < 20; count++) times.note({ ...pass, batches: [row(14), row(1), row(1)], ms: 180 });
    expect(times.of(row(14))).toBeGreaterThan(80);
  });

  it('is shared between those that were not measured, as they were expected to take', () => {
    const times = createPassTimes();
    times.note({ ...pass, batches: [row(5), row(8), line(64)], ms: 300 });
    expect(times.of(row(5)) + times.of(row(8)) + times.of(line(64))).toBeCloseTo(300, 0);
    times.note({ ...pass, batches: [row(5)], ms: 99 });
    expect(times.of(row(5))).toBe(99);
    expect(times.of(line(64))).toBeGreaterThan(times.of(row(8)));
  });

  it('is no fact for a row that was never alone: it stays worth a measurement', () => {
    const times = createPassTimes();
    for (let count = 0; count < 5; count++) times.note({ ...pass, batches: [row(4)], ms: 4 });
    // The kernels for 16 tokens are loaded in this pass.
    times.note({ ...pass, batches: [row(16), line(64)], ms: 60 });
    expect(times.of(row(16))).toBeLessThan(4 * times.of(row(4)));
  });
});
