import type { Decoder } from '../llama/decoder.ts';
import type { Token } from '../llama/llama.ts';
import { createSequence, type Sequence } from '../llama/sequence.ts';
import { explainMiss, type Miss } from './cache-miss.ts';
import type { Copies } from './copies.ts';
import { type Appointment, createAppointment, createPauses, type Pauses } from './pauses.ts';
import { BLOCK, beginningOf, isAlone, type Prefix, prefixOf, sharedLength } from './prefix.ts';
import { createPrefixIndex } from './prefix-index.ts';
import { type CacheCosts, type PrefixPlan, planPrefix, type Rival } from './prefix-plan.ts';
import { chooseSlot, type SlotCosts } from './slot.ts';
import { choosePauses } from './turn-ends.ts';

/** A place for one generation. Its KV cache still has what the previous generation left. */
export interface Slot {
  readonly sequence: Sequence;
  /** The number of tokens at which evaluating its prompt has to pause next; infinite if it need not. */
  readonly pauseAt: number;
}

/** Where the tokens came from that a prompt did not have to evaluate. Counts are in tokens. */
export interface Prepared {
  /** Those of the slot itself. */
  slot: number;
  /** Those copied from other slots. */
  copied: number;
  ram: number;
  disk: number;
  /** Why it were not more; null if nothing was missed. */
  miss: Miss | null;
}

/** The KV caches of all slots as one store of prefixes. */
export interface PrefixStore {
  /**
   * Takes a free slot for each choice of a request, as many as there are: the first is best for the prompt. Empty if all are busy.
   *
   * @param name the client's name for the conversation, if it has one
   */
  take(prompt: Prefix, choices: number, name?: string): Slot[];
  /**
   * Brings the longest beginning of a prompt that anyone holds into a slot, and drops the rest. If another slot is about to evaluate
   * more of it, it waits for that. The prompt's last token is never taken: evaluating it gives the first token of the reply. Resolves
   * to null if the signal aborts meanwhile.
   *
   * @param turnEnds where the turns of the prompt end: a model that can't go back has copies made there
   */
  prepare(slot: Slot, prompt: Prefix, signal: AbortSignal, turnEnds?: readonly number[]): Promise<Prepared | null>;
  /** Is to be told when a slot has evaluated more of its prompt: others may wait for that. It may go on when this resolves. */
  advanced(slot: Slot): Promise<void>;
  /** Gives a slot back. What it has been filled with belongs to this scope from now on; what it still holds of others stays theirs. */
  free(slot: Slot, scope: string): void;
  /** What lies in the slots. */
  held(): HeldSlot[];
}

/** What a slot holds. */
export interface HeldSlot {
  /** The number of its sequence. */
  sequence: number;
  busy: boolean;
  /** When it was taken last. As long as it is free, it holds the same from one time to the next. */
  usedAt: number;
  scope: string;
  tokens: readonly Token[];
}

interface SlotState extends Slot {
  busy: boolean;
  /** `performance.now()` when it was taken last, in ms. */
  usedAt: number;
  /** Whose tokens it holds. */
  scope: string;
  /** What it held when it was given back. */
  held: Prefix;
  /** What the client calls the conversation that it holds, and what the one calls it that has the slot now. */
  name: string | undefined;
  nextName: string | undefined;
  /** True once it holds tokens of the request that has it. Until then it holds what it held before, perhaps another scope's. */
  filled: boolean;
  /** What it is going to hold, or holds, while it is busy. */
  promise: Prefix | null;
  /** Of two busy slots only the later one waits for the other: so they never wait for one another. */
  turn: number;
  pauses: Pauses;
  waiting: Set<{ length: number; wake: () => void }>;
}

/**
 * @param forgets true for a model that can't go back to a shorter beginning: others can take only all that a slot holds
 * @param costs tells what evaluating, copying and passes cost now
 */
export function createPrefixStore(
  decoder: Decoder,
  copies: Copies,
  forgets: boolean,
  costs: () => CacheCosts & Pick<SlotCosts, 'rowsMs'>,
): PrefixStore {
  const index = createPrefixIndex<SlotState>();
  const slots = Array.from({ length: decoder.sequences }, (_, id): SlotState => {
    const sequence = createSequence(decoder, id);
    const pauses = createPauses();
    return {
      sequence,
      busy: false,
      usedAt: 0,
      scope: '',
      held: prefixOf('', []),
      name: undefined,
      nextName: undefined,
      filled: false,
      promise: null,
      turn: 0,
      pauses,
      waiting: new Set(),
      get pauseAt() {
        return pauses.after(sequence.length);
      },
    };
  });
  let turns = 0;

  const stateOf = (slot: Slot) => slots[slot.sequence.id] as SlotState;
  const holds = ({ scope, sequence }: SlotState, prompt: Prefix) =>
    sharedLength({ scope, tokens: sequence.tokens }, prompt);

  const rivalsOf = (state: SlotState, wanted: Prefix): Rival<SlotState>[] =>
    [...index.find(wanted.hashes).keys()]
      .filter((other) => other !== state)
      .sort((a, b) => a.turn - b.turn)
      .map((other) => {
        const shared = holds(other, wanted);
        const held = forgets && shared < other.sequence.length ? 0 : shared;
        const promised = other.promise && other.turn < state.turn ? sharedLength(other.promise, wanted) : 0;
        const comesTo = !forgets || promised > other.sequence.length;
        return { slot: other, held, promised: Math.max(held, comesTo ? promised : 0) };
      });

  /**
   * Looks at the cache before a slot takes a prompt: what was lost of the prompt not long ago, what idle slots of its scope hold, and
   * what this slot holds, if it is to lose what nobody else has.
   */
  const lookAround = (state: SlotState, prompt: Prefix, kept: number) => {
    const remembered = index.remembered(prompt.hashes);
    const lost = remembered > Math.max(0, ...index.find(prompt.hashes).values()) ? remembered * BLOCK : 0;
    const idle = slots.filter((other) => other.scope === prompt.scope && (other === state || !other.busy));
    const cached = idle.map(({ sequence }) => [...sequence.tokens]);
    const loses = index.unique(state) > 0 && kept < state.sequence.length;
    return { lost, cached, endangered: loses ? prefixOf(state.scope, [...state.sequence.tokens]) : null };
  };

  const pauseForCopies = ({ sequence, pauses }: SlotState, prompt: Prefix, ends: readonly number[], left: number) => {
    for (const place of choosePauses(ends, sequence.length, left)) {
      if (copies.wants(beginningOf(prompt, place))) pauses.keepAt(place);
    }
  };

  const wakeAll = ({ waiting }: SlotState, reached: number) => {
    for (const waiter of [...waiting]) if (waiter.length <= reached) waiter.wake();
  };

  /** Resolves when the slot has come so far, when it is given back, or at an abort. */
  const reached = ({ waiting }: SlotState, length: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const waiter = { length, wake };
      waiting.add(waiter);
      signal.addEventListener('abort', wake);
    });

  /** Resolves to null, with the slot empty, if a copy could not be loaded. */
  const follow = async ({ sequence }: SlotState, plan: PrefixPlan<SlotState>) => {
    const taken = { slot: 0, copied: 0, ram: 0, disk: 0 };
    switch (plan.kind) {
      case 'copy':
        await sequence.copyFrom(plan.from.sequence, plan.length);
        taken.copied = sequence.length;
        return taken;
      case 'load':
        await sequence.adopt(plan.copy.load);
        if (sequence.length === 0) return null;
        await sequence.truncate(plan.length);
        taken[plan.copy.tier] = sequence.length;
        return taken;
      default:
        await sequence.truncate(plan.length);
        taken.slot = sequence.length;
        return taken;
    }
  };

  /** What it takes to have again what only this slot holds. */
  const lossMs = (state: SlotState, tokenMs: number) => {
    const { held } = state;
    const lost = index.unique(state) * BLOCK;
    if (lost === 0 || isAlone(held.scope)) return 0;
    const copy = copies.find(held);
    const loadMs = copy ? copy.ms + (held.tokens.length - copy.length) * tokenMs : Number.POSITIVE_INFINITY;
    return Math.min(lost * tokenMs, loadMs);
  };

  const planFor = (state: SlotState, wanted: Prefix, own: number) => {
    // Loading empties the slot, and fails as long as bytes of it are still to be copied, or without room.
    const loads = decoder.settled(state.sequence.id) && wanted.tokens.length <= decoder.room;
    const copy = loads ? copies.find(wanted) : null;
    return planPrefix(wanted.tokens.length, own, rivalsOf(state, wanted), copy, costs());
  };

  /** Has the one that is waited for pause, if it can be copied only as a whole. */
  const meet = (appointment: Appointment, plan: PrefixPlan<SlotState>) => {
    if (forgets && plan.kind === 'wait') appointment.make(plan.on.pauses, plan.length);
  };

  /** Waits as long as that is worth it, then brings the beginning of a prompt into a slot, in another way if one fails. Null at an abort. */
  const fill = async (
    state: SlotState,
    wanted: Prefix,
    kept: number,
    appointment: Appointment,
    signal: AbortSignal,
  ): Promise<Omit<Prepared, 'miss'> | null> => {
    let own = kept;
    while (!signal.aborted) {
      const plan = planFor(state, wanted, own);
      if (plan.kind === 'wait') {
        meet(appointment, plan);
        await reached(plan.on, plan.length, signal);
        continue;
      }
      Object.assign(state, { scope: wanted.scope, name: state.nextName, filled: true });
      const taken = await follow(state, plan);
      if (taken) return taken;
      own = 0;
    }
    return null;
  };

  return {
    take(prompt, choices, name) {
      const taken: SlotState[] = [];
      const { tokenMs, copyMs, rowsMs } = costs();
      const copyTokens = Math.max(BLOCK, copyMs / tokenMs);
      const moveMs = forgets ? Number.POSITIVE_INFINITY : copyMs;
      while (taken.length < choices) {
        const candidates = slots.map((state) => {
          const { busy, usedAt, sequence } = state;
          const shared = taken.length === 0 ? holds(state, prompt) : 0;
          const namesake = name !== undefined && state.name === name && state.scope === prompt.scope;
          const loss = { unique: index.unique(state), lossMs: busy ? 0 : lossMs(state, tokenMs) };
          return { busy, usedAt, cached: sequence.length, shared, ...loss, namesake };
        });
        const state = slots[chooseSlot(candidates, { copyTokens, moveMs, rowsMs }) ?? -1];
        if (!state) break;
        state.busy = true;
        state.filled = false;
        state.usedAt = performance.now();
        state.nextName = name;
        taken.push(state);
      }
      return taken;
    },

    async prepare(slot, prompt, signal, turnEnds = []) {
      const state = stateOf(slot);
      const wanted = beginningOf(prompt, prompt.tokens.length - 1);
      const kept = holds(state, wanted);
      const { lost, cached, endangered } = lookAround(state, prompt, kept);
      const left = forgets ? Math.max(...slots.map((other) => holds(other, wanted))) : 0;
      state.turn = ++turns;
      state.promise = prompt;
      state.pauses.clear();
      index.hold(state, prompt.hashes);
      // What it can keep as far as is known without asking the model.
      let own = forgets && kept < state.sequence.length ? 0 : kept;
      const appointment = createAppointment();
      try {
        // Who is to pause has to know before it goes on.
        meet(appointment, planFor(state, wanted, own));
        if (endangered && !signal.aborted) await copies.keep(endangered, state.sequence.id, kept, signal);
        if (own < kept && (await decoder.reaches(state.sequence.id, kept))) own = kept;
        const taken = await fill(state, wanted, own, appointment, signal);
        if (!taken) return null;
        if (forgets) pauseForCopies(state, prompt, turnEnds, left);
        wakeAll(state, state.sequence.length);
        return { ...taken, miss: explainMiss(prompt.tokens, state.sequence.length, lost, cached) };
      } finally {
        appointment.end();
      }
    },

    async advanced(slot) {
      const state = stateOf(slot);
      const { sequence, pauses, scope } = state;
      const place = sequence.length;
      if (pauses.isKeptAt(place)) await copies.keep(prefixOf(scope, [...sequence.tokens]), sequence.id, 0);
      wakeAll(state, place);
      await pauses.shared(place);
    },

    free(slot, scope) {
      const state = stateOf(slot);
      if (state.filled) state.scope = scope;
      state.busy = false;
      state.promise = null;
      // It was promised; how much of it there is, the slot tells.
      index.revoke(state);
      state.held = prefixOf(state.scope, state.sequence.tokens);
      index.hold(state, state.held.hashes);
      wakeAll(state, Number.POSITIVE_INFINITY);
    },

    held: () =>
      slots.map(({ busy, usedAt, scope, sequence }) => ({
        sequence: sequence.id,
        busy,
        usedAt,
        scope,
        tokens: sequence.tokens,
      })),
  };
}
