import { beforeEach, describe, expect, it } from 'vitest';
import { createRest, type Rest } from '../../../../src/engine/native/draft-heads/rest.ts';

describe('the rest of a draft head', () => {
  let rest: Rest;
  beforeEach(() => {
    rest = createRest();
  });

  /** Has the head rest, and returns how often it is asked until it wakes. */
  function askedUntilAwake(): number {
    while (!rest.rests) rest.noteIdle(1);
    let asked = 0;
    for (; rest.rests; asked++) rest.noteAsked();
    return asked;
  }

  it('begins after 64 passes without a guess, and tells so once', () => {
    expect(Array.from({ length: 63 }, () => rest.noteIdle(1))).not.toContain(true);
    expect(rest.noteIdle(4)).toBe(true);
    expect(rest.rests).toBe(true);
    expect(rest.noteIdle(1)).toBe(false);
  });

  it('is put off by a right guess, and not by a wrong one or by one that is only asked for', () => {
    rest.noteIdle(60);
    rest.noteRight(1);
    expect(rest.noteIdle(60)).toBe(false);
    rest.noteAsked();
    rest.noteRight(0);
    expect(rest.noteIdle(4)).toBe(true);
  });

  it('ends when a guess is asked for, if none was wrong', () => {
    expect(askedUntilAwake()).toBe(1);
    expect(askedUntilAwake()).toBe(1);
    rest.noteRight(0);
    rest.noteRight(2);
    expect(askedUntilAwake()).toBe(1);
  });

  it('lasts four times as long each time that all guesses were wrong, up to a limit, until one is right', () => {
    const lasted = Array.from({ length: 4 }, () => {
      rest.noteRight(0);
      return askedUntilAwake();
    });
    expect(lasted).toEqual([256, 1024, 4096, 4096]);
    rest.noteRight(3);
    expect(askedUntilAwake()).toBe(1);
  });

  it('lasts as long again after a time in which nothing was guessed', () => {
    rest.noteRight(0);
    expect(askedUntilAwake()).toBe(256);
    expect(askedUntilAwake()).toBe(256);
  });
});
