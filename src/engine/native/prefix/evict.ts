import { createPrefix } from './prefix.ts';
import type { StoredSlot, StoreParts } from './stored-slot.ts';

/**
 * Empties the idle slot that was used the longest time ago. Copies its tokens before, if the copy is worth its time. A
 * slot that is taken meanwhile keeps its tokens. Resolves to false if no idle slot holds any.
 *
 * @param except a slot that keeps what it holds
 */
export async function evictIdle({ slots, copies, index }: StoreParts, except?: StoredSlot): Promise<boolean> {
  const idle = slots
    .filter((slot) => slot !== except && !slot.state.busy && slot.sequence.length > 0)
    .sort((one, other) => one.state.usedAt - other.state.usedAt);
  for (const slot of idle) {
    const { state, sequence } = slot;
    await copies.keep(state.held, sequence.id, 0);
    if (slot.state !== state) continue;
    slot.state = { ...state, held: createPrefix(state.scope, []) };
    index.hold(slot, []);
    await sequence.truncate(0);
    return true;
  }
  return false;
}
