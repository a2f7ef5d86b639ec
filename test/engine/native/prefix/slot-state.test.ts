import { describe, expect, it } from 'vitest';
import { createPrefix } from '../../../../src/engine/native/prefix/prefix.ts';
import {
  EMPTY_SLOT,
  filledSlot,
  freedSlot,
  promisedSlot,
  takenSlot,
} from '../../../../src/engine/native/prefix/slot-state.ts';

const tokens = Array.from({ length: 32 }, (_, index) => index);
const prompt = createPrefix('mine', tokens);
const theirs = freedSlot(filledSlot(takenSlot(EMPTY_SLOT, 1, 'their chat'), 'theirs'), 'theirs', tokens);
const taken = takenSlot(theirs, 2, 'my chat');
const promised = promisedSlot(taken, prompt, 7);

describe('the state of a slot', () => {
  it.each([
    ['taken', taken, { busy: true, usedAt: 2, filled: false, scope: 'theirs', name: 'their chat', promise: null }],
    ['promised', promised, { busy: true, scope: 'theirs', name: 'their chat', promise: prompt, turn: 7 }],
    ['filled', filledSlot(promised, 'mine'), { busy: true, scope: 'mine', name: 'my chat', filled: true, turn: 7 }],
    [
      'freed after it was filled',
      freedSlot(filledSlot(promised, 'mine'), 'common', tokens),
      { busy: false, scope: 'common', name: 'my chat', promise: null, held: createPrefix('common', tokens) },
    ],
    [
      'freed before it was filled',
      freedSlot(promised, 'common', tokens),
      { busy: false, scope: 'theirs', name: 'their chat', promise: null, held: createPrefix('theirs', tokens) },
    ],
  ])('is %s', (_, state, expected) => {
    expect(state).toMatchObject(expected);
  });

  it('does not change the state before it', () => {
    expect(EMPTY_SLOT).toMatchObject({ busy: false, usedAt: 0, scope: '', name: undefined, promise: null, turn: 0 });
  });
});
