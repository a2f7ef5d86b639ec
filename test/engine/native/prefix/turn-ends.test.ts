import { describe, expect, it } from 'vitest';
import type { Token } from '../../../../src/engine/native/llama/tokens/token.ts';
import { choosePauses, findTurnEnds } from '../../../../src/engine/native/prefix/turn-ends.ts';

const CONTROL = 0;
const isControl = (token: Token) => token === CONTROL;
/** A turn as templates write it: a control token, who speaks, what is said, a control token and a line break. */
const turn = (length: number) => [CONTROL, 5, ...Array.from({ length }, () => 7), CONTROL, 9].map((id) => id);

describe('the ends of turns', () => {
  it('are before the control tokens that end what was said', () => {
    const prompt = [...turn(100), ...turn(200), CONTROL, 5];
    expect(findTurnEnds(prompt, isControl)).toEqual([102, 306]);
  });

  it('leave out turns that are short', () => {
    expect(findTurnEnds([...turn(20), ...turn(20), ...turn(20), ...turn(20)], isControl)).toEqual([70]);
    expect(findTurnEnds(turn(20), isControl)).toEqual([]);
  });

  it('are the same however the conversation goes on', () => {
    const begun = [...turn(100), ...turn(10), ...turn(90)];
    const ends = findTurnEnds(begun, isControl);
    expect(findTurnEnds([...begun, ...turn(70), ...turn(5)], isControl).slice(0, ends.length)).toEqual(ends);
  });

  it('are none in a text without control tokens', () => {
    expect(
      findTurnEnds(
        Array.from({ length: 500 }, () => 7),
        isControl,
      ),
    ).toEqual([]);
  });
});

describe('the pauses of a prompt', () => {
  it('are at the end of the system prompt, before the latest message, before the reply, and where it leaves others', () => {
    expect(choosePauses([100, 200, 300, 400, 500], 0, 0)).toEqual([100, 400, 500]);
    expect(choosePauses([100, 200, 300], 0, 250)).toEqual([100, 200, 300]);
    expect(choosePauses([100, 300], 0, 250)).toEqual([100, 300, 250]);
    expect(choosePauses([], 0, 250)).toEqual([250]);
  });

  it('are only in what has to be evaluated', () => {
    expect(choosePauses([100, 200, 300], 200, 150)).toEqual([300]);
    expect(choosePauses([100, 200, 300], 300, 300)).toEqual([]);
  });
});
