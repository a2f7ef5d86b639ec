import { BLOCK, type Prefix } from './prefix.ts';
import { chooseSlot, type SlotCandidate } from './slot.ts';
import { takenSlot } from './slot-state.ts';
import { restoreMs, sharedTokens } from './slot-view.ts';
import type { StoredSlot, StoreParts } from './stored-slot.ts';

/**
 * Takes up to `choices` free slots for a request; the first one is the best for its prompt. Returns none if all slots
 * are busy.
 *
 * @param name the client's name for the conversation
 */
export function takeSlots(parts: StoreParts, prompt: Prefix, choices: number, name: string | undefined): StoredSlot[] {
  const { slots, forgets, costs } = parts;
  const { tokenMs, copyMs, rowsMs } = costs();
  const copyTokens = Math.max(BLOCK, copyMs / tokenMs);
  const moveMs = forgets ? Number.POSITIVE_INFINITY : copyMs;
  const taken: StoredSlot[] = [];
  while (taken.length < choices) {
    // Only the first slot is chosen by its tokens: the other choices copy the prompt from it.
    const isFirst = taken.length === 0;
    const candidates = slots.map((slot) => candidateOf(parts, slot, prompt, name, isFirst, tokenMs));
    const slot = slots[chooseSlot(candidates, { copyTokens, moveMs, rowsMs }) ?? -1];
    if (!slot) break;
    slot.state = takenSlot(slot.state, performance.now(), name);
    taken.push(slot);
  }
  return taken;
}

function candidateOf(
  { index, copies }: StoreParts,
  slot: StoredSlot,
  prompt: Prefix,
  name: string | undefined,
  isFirst: boolean,
  tokenMs: number,
): SlotCandidate {
  const { busy, usedAt, held, scope } = slot.state;
  const unique = index.unique(slot);
  return {
    busy,
    usedAt,
    cached: slot.sequence.length,
    shared: isFirst ? sharedTokens(slot, prompt) : 0,
    unique,
    lossMs: busy || unique === 0 ? 0 : restoreMs(held, unique, copies.find(held), tokenMs),
    namesake: name !== undefined && slot.state.name === name && scope === prompt.scope,
  };
}
