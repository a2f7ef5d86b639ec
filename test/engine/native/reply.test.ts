import { describe, expect, it } from 'vitest';
import type { FinishReason } from '../../../src/contract/events.ts';
import { addGain } from '../../../src/engine/native/reply.ts';

/** Adds a gain of these tokens to an empty reply, which ends at token 3. */
function add(tokens: number[], { ended = false, room = 9 }) {
  const added: number[] = [];
  const text = {
    get added() {
      return added.length;
    },
    add: ({ token }: { token: number }): FinishReason | null => (added.push(token) && token === 3 ? 'stop' : null),
  };
  const gain = { tokens: tokens.map((token) => ({ token })), kept: 1, ended };
  return [addGain(text, gain, room), added];
}

describe('a gain', () => {
  it.each([
    ['goes on', [1, 2], {}, null, [1, 2]],
    ['goes on without a new token', [], {}, null, []],
    ['ends with the turn of the model', [1], { ended: true }, 'stop', [1]],
    ['ends at a token, and has none after it', [1, 3, 4], {}, 'stop', [1, 3]],
    ['ends where no other token has room', [1, 2, 4], { room: 2 }, 'length', [1, 2]],
    ['ends at a token that is the last with room', [3], { room: 1 }, 'stop', [3]],
  ])('%s', (_, tokens, options, reason, added) => {
    expect(add(tokens, options)).toEqual([reason, added]);
  });
});
