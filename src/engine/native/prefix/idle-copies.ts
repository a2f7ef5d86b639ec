import { createPrefix } from './prefix.ts';
import type { HeldSlot } from './prefix-store.ts';
import type { TieredCopies } from './tiered-copies.ts';

/** Copies slots while they are idle, so that their tokens are not lost if the engine crashes. */
export interface IdleCopies {
  /** To be called when a generation has ended. */
  noteEnd(): void;
  /** Copies all idle slots that have no copy yet. */
  finish(): Promise<void>;
  /** Begins no further copy. To be called before the engine is disposed. */
  stop(): void;
}

/** The time between the end of a generation and the first copy, in ms: the next turn may follow at once. */
const IDLE_MS = 500;
/** The most time of a copy while other replies are generated, in ms: they wait for it. */
const HELD_UP_MS = 50;

/** @param held returns what each slot holds now */
export function createIdleCopies(copies: TieredCopies, held: () => HeldSlot[]): IdleCopies {
  /** For each sequence with a copy, the `usedAt` of its slot when it was copied. */
  const kept = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const keep = async ({ sequence, usedAt, scope, tokens }: HeldSlot, mostMs: number): Promise<void> => {
    const isStill = () =>
      !stopped && held().some((slot) => slot.sequence === sequence && !slot.busy && slot.usedAt === usedAt);
    if (!isStill()) return;
    if (await copies.keepIdle(createPrefix(scope, [...tokens]), sequence, mostMs, isStill)) kept.set(sequence, usedAt);
  };
  const keepFree = async (mostMs: number): Promise<void> => {
    const unkept = held().filter(({ sequence, usedAt, busy }) => !busy && kept.get(sequence) !== usedAt);
    // The longest first: a slot with an older turn of the same conversation then needs no copy of its own.
    for (const slot of unkept.sort((a, b) => b.tokens.length - a.tokens.length)) await keep(slot, mostMs);
  };

  // A slot that cannot be copied now, for example because it is busy, is tried again after the next generation has
  // ended.
  const work = async () => {
    timer = undefined;
    const writing = held().some(({ busy }) => busy);
    await keepFree(writing ? HELD_UP_MS : Number.POSITIVE_INFINITY);
  };
  // A running timer is kept: otherwise a busy server would postpone the copies for ever.
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
