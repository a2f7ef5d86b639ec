import { expect, it } from 'vitest';
import { watchEarlyChanges } from '../../../../src/engine/native/prefix/early-changes.ts';

const changed = (at: number) => ({ at, why: 'changed' as const });

it('tells once of prompts that change early at the same place again and again', () => {
  const told: number[][] = [];
  const note = watchEarlyChanges((at, promptTokens) => told.push([at, promptTokens]));
  for (const promptTokens of [4000, 4100]) note(changed(20), promptTokens);
  note(null, 4200);
  expect(told).toEqual([]);
  for (const promptTokens of [4300, 4400, 4500]) note(changed(20), promptTokens);
  expect(told).toEqual([[20, 4300]]);
});

it('tells nothing of late changes, short prompts, other places, and what is new', () => {
  const told: number[] = [];
  const note = watchEarlyChanges((at) => told.push(at));
  for (let turn = 0; turn < 20; turn++) {
    note(changed(3000), 4000);
    note(changed(20), 400);
    note(changed(turn), 4000);
    note({ at: 20, why: 'new' }, 4000);
  }
  expect(told).toEqual([]);
});
