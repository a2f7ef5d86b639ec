import { prefixOf } from './prefix.ts';
import type { HeldSlot } from './prefix-store.ts';
import type { TieredCopies } from './tiered-copies.ts';

/** Makes copies of what slots hold while nobody needs them: the engine may die at any time. */
export interface IdleCopies {
  /** A generation has ended. */
  noteEnd(): void;
  /** Makes all copies that are still to be made. */
  finish(): Promise<void>;
  /** Begins no copy any more: the engine is about to be gone. */
  stop(): void;
}

/** How long after a turn its slot is left alone, in ms: the next turn may follow at once. */
const IDLE_MS = 500;
/** How long a copy may hold up replies that are being written, in ms. */
const HELD_UP_MS = 50;

/** @param held what the slots hold now */
export function createIdleCopies(copies: TieredCopies, held: () => HeldSlot[]): IdleCopies {
  /** When the slots were used of which there is a copy, by their sequences. */
  const kept = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const keep = async ({ sequence, usedAt, scope, tokens }: HeldSlot, mostMs: number): Promise<void> => {
    const isStill = () =>
      !stopped && held().some((slot) => slot.sequence === sequence && !slot.busy && slot.usedAt === usedAt);
    if (!isStill()) return;
    if (await copies.keepIdle(prefixOf(scope, [...tokens]), sequence, mostMs, isStill)) kept.set(sequence, usedAt);
  };
  const keepFree = async (mostMs: number): Promise<void> => {
    const unkept = held().filter(({ sequence, usedAt, busy }) => !busy && kept.get(sequence) !== usedAt);
    // The longest first: what another slot has of its beginning, as an older turn does, needs no copy of its own then.
    for (const slot of unkept.sort((a, b) => b.tokens.length - a.tokens.length)) await keep(slot, mostMs);
  };

  // What can't be copied now is tried again after the next generation has ended: one that writes now, for example.
  const work = async () => {
    timer = undefined;
    const writing = held().some(({ busy }) => busy);
    await keepFree(writing ? HELD_UP_MS : Number.POSITIVE_INFINITY);
  };
  // Generations that end all the time don't put it off.
  const start = () => {
    if (!stopped) timer ??= setTimeout(work, IDLE_MS).unref();
  };
  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  return {
    noteEnd: start,
    async finish() {
      cancel();
      await keepFree(Number.POSITIVE_INFINITY);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
