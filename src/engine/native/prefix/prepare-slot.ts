import { extentOf } from '../llama/media/token.ts';
import type { Sequence } from '../llama/sequence.ts';
import { explainMiss, type Miss } from './cache-miss.ts';
import { evictIdle } from './evict.ts';
import { type Appointment, createAppointment } from './pauses.ts';
import { type Prefix, truncatePrefix } from './prefix.ts';
import { type PrefixPlan, planPrefix } from './prefix-plan.ts';
import { filledSlot, promisedSlot } from './slot-state.ts';
import { rivalsOf, sharedTokens, viewCache } from './slot-view.ts';
import type { StoredSlot, StoreParts } from './stored-slot.ts';
import { choosePauses } from './turn-ends.ts';

/** The numbers of prompt tokens that need no evaluation, by where they came from. */
interface Taken {
  /** Tokens that the slot held already. */
  slot: number;
  /** Tokens copied from another slot. */
  copied: number;
  /** Tokens loaded from a copy in memory. */
  ram: number;
  /** Tokens loaded from a copy on disk. */
  disk: number;
}

/** The result of preparing a slot. */
export interface Prepared extends Taken {
  /** Why no more tokens came from the cache; null if all that could be reused was. */
  miss: Miss | null;
}

/** The request for which a slot is prepared. */
export interface Preparation {
  prompt: Prefix;
  /** The number of this preparation, counted over all slots. */
  turn: number;
  signal: AbortSignal;
  /** The numbers of tokens at which the turns of the conversation end, ascending. */
  turnEnds: readonly number[];
}

/** Fills a slot with the longest beginning of a prompt that the cache has. Resolves to null if the signal aborts. */
export async function prepareSlot(
  parts: StoreParts,
  slot: StoredSlot,
  { prompt, turn, signal, turnEnds }: Preparation,
): Promise<Prepared | null> {
  const { decoder, copies, forgets, index, slots } = parts;
  const { sequence } = slot;
  // Evaluating the last token gives the logits for the first token of the reply.
  const wanted = truncatePrefix(prompt, prompt.tokens.length - 1);
  const kept = sharedTokens(slot, wanted);
  const { lost, cached, endangered } = viewCache(index, slots, slot, prompt, kept);
  const branch = forgets ? Math.max(...slots.map((other) => sharedTokens(other, wanted))) : 0;
  slot.state = promisedSlot(slot.state, prompt, turn);
  slot.pauses.clear();
  index.hold(slot, prompt.hashes);
  let own = forgets && kept < sequence.length ? 0 : kept;
  const appointment = createAppointment();
  try {
    // Before anything is awaited: otherwise the other slot could evaluate past the place where it has to pause.
    makeAppointment(parts, appointment, planFor(parts, slot, wanted, own));
    if (endangered && !signal.aborted) await copies.keep(endangered, sequence.id, kept, signal);
    if (own < kept && (await decoder.reaches(sequence.id, extentOf(sequence.tokens, kept)))) own = kept;
    const taken = await fillSlot(parts, slot, wanted, own, appointment, signal);
    if (!taken) return null;
    if (forgets) pauseForCopies(parts, slot, prompt, turnEnds, branch);
    slot.waiters.wake(sequence.length);
    return { ...taken, miss: explainMiss(prompt.tokens, sequence.length, lost, cached) };
  } finally {
    appointment.end();
  }
}

function planFor(parts: StoreParts, slot: StoredSlot, wanted: Prefix, own: number): PrefixPlan<StoredSlot> {
  const { decoder, copies, forgets, index, costs } = parts;
  // Loading needs room, and a sequence of which no bytes are still to be copied.
  const canLoad = decoder.settled(slot.sequence.id) && wanted.tokens.length <= decoder.room;
  const copy = canLoad ? copies.find(wanted) : null;
  const rivals = rivalsOf(index.find(wanted.hashes).keys(), slot, wanted, forgets);
  return planPrefix(wanted.tokens.length, own, rivals, copy, costs());
}

/**
 * If the plan waits for a slot that can only be copied as a whole, has that slot pause at the length that is wanted.
 */
function makeAppointment({ forgets }: StoreParts, appointment: Appointment, plan: PrefixPlan<StoredSlot>): void {
  if (forgets && plan.kind === 'wait') appointment.make(plan.on.pauses, plan.length);
}

/** Waits while waiting is the best plan, then follows the best other plan, and the next best one if that fails. */
async function fillSlot(
  parts: StoreParts,
  slot: StoredSlot,
  wanted: Prefix,
  kept: number,
  appointment: Appointment,
  signal: AbortSignal,
): Promise<Taken | null> {
  let own = kept;
  while (!signal.aborted) {
    const plan = planFor(parts, slot, wanted, own);
    if (plan.kind === 'wait') {
      makeAppointment(parts, appointment, plan);
      await plan.on.waiters.reached(plan.length, signal);
      continue;
    }
    slot.state = filledSlot(slot.state, wanted.scope);
    if (plan.kind === 'load') await makeRoomFor(parts, slot, wanted.tokens.length);
    const taken = await followPlan(slot.sequence, plan);
    if (taken) return taken;
    own = 0;
  }
  return null;
}

/** Evicts what idle slots hold until so many tokens can be loaded. */
async function makeRoomFor(parts: StoreParts, slot: StoredSlot, tokens: number): Promise<void> {
  while (parts.decoder.spare() + slot.sequence.length < tokens && (await evictIdle(parts, slot)));
}

/** Resolves to null, with the sequence empty, if a copy could not be loaded. */
async function followPlan(
  sequence: Sequence,
  plan: Exclude<PrefixPlan<StoredSlot>, { kind: 'wait' }>,
): Promise<Taken | null> {
  const taken = { slot: 0, copied: 0, ram: 0, disk: 0 };
  switch (plan.kind) {
    case 'copy':
      await sequence.copyFrom(plan.from.sequence, plan.length);
      return { ...taken, copied: sequence.length };
    case 'load':
      await sequence.adopt(plan.copy.load);
      if (sequence.length === 0) return null;
      await sequence.truncate(plan.length);
      return { ...taken, [plan.copy.tier]: sequence.length };
    case 'own':
      await sequence.truncate(plan.length);
      return { ...taken, slot: sequence.length };
    default:
      return plan satisfies never;
  }
}

/** Lets the prefill pause at the places where a copy is worth its time. */
function pauseForCopies(
  { copies }: StoreParts,
  { sequence, pauses }: StoredSlot,
  prompt: Prefix,
  turnEnds: readonly number[],
  branch: number,
): void {
  for (const place of choosePauses(turnEnds, sequence.length, branch)) {
    if (copies.wants(truncatePrefix(prompt, place))) pauses.keepAt(place);
  }
}
