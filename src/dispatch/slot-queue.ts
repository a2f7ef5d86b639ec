import type { Party } from '../contract/call-context.ts';
import { overloaded } from '../contract/errors.ts';
import { sum } from '../utils/sum.ts';
import {
  claimToRefuse,
  firstOf,
  holdsToEnd,
  meanAfter,
  retryAfterSeconds,
  type Share,
  type SlotClaim,
  type SlotHold,
} from './slot-order.ts';

/**
 * Hands out a fixed number of slots: in the order of arrival, and fairly between the parties that wait. Work in the
 * background gives its slots up when a caller of higher priority waits.
 */
export interface SlotQueue {
  /** The number of slots in use. */
  readonly busy: number;
  /**
   * The number of callers that wait for slots. Two kinds do not count: callers that still prepare their work and will
   * find slots free, and work in the background, which may wait for long on a server that keeps nobody waiting.
   */
  readonly waiting: number;
  /**
   * Returns a place in the queue for a caller that has to prepare its work first: it holds no slot before `SlotPlace.enter`. Throws a
   * 503 `ApiError` if the queue is full.
   */
  join(count?: number, party?: Party): SlotPlace;
  /**
   * Waits for `count` slots and returns the function that frees them; calling it twice does no harm. Returns null if
   * the signal aborts first. Throws a 503 `ApiError` if the queue is full. A caller that waits is refused with the same
   * error if its party has the most callers in a full queue and a caller of another party comes.
   */
  acquire(signal: AbortSignal, count?: number, party?: Party): Promise<(() => void) | null>;
}

/** The place of one caller in the queue. */
export interface SlotPlace {
  /**
   * Waits for the slots. Call it once. Resolves to false if the signal aborts first. Throws a 503 `ApiError` if the caller was refused
   * in favour of another party's.
   */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Frees the slots, or the place if the caller has no slots. May be called twice. */
  leave(): void;
}

export interface SlotQueueOptions {
  /** The most slots that one party may hold. By default there is no such limit. */
  mostOfParty?: number;
  /**
   * The most slots that work in the background may hold while other callers hold some; what holds more of them ends. By
   * default there is no such limit.
   */
  backgroundBesideOthers?: number;
  /** How long this limit holds after the last of the other callers, in ms: the next one often comes soon. By default 0. */
  calmMs?: number;
}

interface Waiter extends SlotClaim {
  count: number;
  /** True if enough slots were free for this caller when it came, and for all callers before it. */
  fits: boolean;
  /** Gives the slots to the caller. Null while the caller prepares its work. */
  grant: (() => void) | null;
  refuse: () => void;
}

/** The party of all callers without a key. */
const NOBODY: Party = { name: '', priority: 0 };

/**
 * Makes a queue for `slots` slots, in which at most `maxWaiting` callers wait. `firstOf` decides who gets a free slot.
 * A single party is served in the order of arrival.
 */
export function createSlotQueue(
  slots: number,
  maxWaiting: number,
  {
    mostOfParty = Number.POSITIVE_INFINITY,
    backgroundBesideOthers = Number.POSITIVE_INFINITY,
    calmMs = 0,
  }: SlotQueueOptions = {},
): SlotQueue {
  const use = createSlotUse(backgroundBesideOthers, calmMs);
  let calming: ReturnType<typeof setTimeout> | undefined;
  const waiters = new Set<Waiter>();
  const waiting = () => [...waiters].filter(({ fits }) => !fits);

  // If the first caller needs more slots than are free, all wait: callers that need one slot must not overtake it.
  const grantWaiting = () => {
    const ready = ({ grant, share, count, party }: Waiter) =>
      grant && share.held + count <= mostOfParty && use.allows(count, party);
    for (;;) {
      const next = firstOf([...waiters].filter(ready));
      if (!next) return waitForCalm();
      if (use.busy + next.count > slots) return use.makeWay(next.party, use.busy + next.count - slots);
      next.grant?.();
    }
  };
  /** Serves work in the background that waits once it is calm. The end of the last other caller calls this again. */
  const waitForCalm = () => {
    clearTimeout(calming);
    const ms = use.untilCalm();
    if (ms === null || ms <= 0 || ![...waiters].some(({ party }) => party.giveWay)) return;
    calming = setTimeout(grantWaiting, Math.ceil(ms));
  };
  const full = () => {
    const retry = retryAfterSeconds(waiting().length, slots, use.meanMs);
    return overloaded(`All ${slots} slots are busy and ${maxWaiting} requests wait already.`, retry);
  };
  const makePlaceFor = (party: Party) => {
    const refused = claimToRefuse(waiting(), party);
    if (!refused) throw full();
    refused.refuse();
  };
  const joinAs = (count: number, party: Party): Waiter => {
    const taken = use.busy + sum([...waiters].map((waiter) => waiter.count));
    const fits = waiting().length === 0 && taken + count <= slots;
    if (!fits && waiting().length >= maxWaiting) makePlaceFor(party);
    const waiter: Waiter = { count, party, share: use.shareOf(party), fits, grant: null, refuse: () => {} };
    waiters.add(waiter);
    return waiter;
  };

  const take = (count: number, party: Party) => use.take(count, party);
  const join = (count = 1, party = NOBODY) => placeOf(joinAs(count, party), waiters, { take, full, grantWaiting });

  return {
    get busy() {
      return use.busy;
    },
    get waiting() {
      return waiting().filter(({ party }) => !party.giveWay).length;
    },
    join,
    async acquire(signal, count, party) {
      if (signal.aborted) return null;
      const place = join(count, party);
      return (await place.enter(signal)) ? place.leave : null;
    },
  };
}

/** The functions of a queue that its places call. */
interface QueueFunctions {
  /** Counts slots as used, and returns the function that frees them. */
  take: (count: number, party: Party) => () => boolean;
  /** Returns the error of a caller that is refused. */
  full: () => Error;
  /** Gives free slots to the callers that wait. */
  grantWaiting: () => void;
}

/** Returns the place of a waiter that is in `waiters`. */
function placeOf(waiter: Waiter, waiters: Set<Waiter>, { take, full, grantWaiting }: QueueFunctions): SlotPlace {
  let refusal: Error | undefined;
  let free = () => false;
  /** Ends the wait of `enter`. */
  let giveUp = () => {};
  waiter.refuse = () => {
    refusal = full();
    waiters.delete(waiter);
  };
  return {
    enter: (signal) =>
      new Promise<boolean>((resolve, reject) => {
        if (refusal) return reject(refusal);
        if (signal.aborted) waiters.delete(waiter);
        if (!waiters.has(waiter)) return resolve(false);
        const settle = () => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', aborted);
          giveUp = () => {};
        };
        giveUp = () => {
          settle();
          resolve(false);
        };
        const aborted = () => {
          giveUp();
          grantWaiting();
        };
        waiter.grant = () => {
          settle();
          free = take(waiter.count, waiter.party);
          resolve(true);
        };
        waiter.refuse = () => {
          settle();
          reject(full());
        };
        signal.addEventListener('abort', aborted, { once: true });
        grantWaiting();
        // Callers that came later may have been ready earlier, and have the slots.
        waiter.fits = false;
      }),
    leave() {
      giveUp();
      const left = waiters.delete(waiter);
      if (free() || left) grantWaiting();
    },
  };
}

/** Counts the slots in use, in all and of each party, and how long they are used. */
function createSlotUse(backgroundBesideOthers: number, calmMs: number) {
  const shares = new Map<string, Share>();
  const holds = new Set<SlotHold>();
  let busy = 0;
  /** Those of them that work in the background has. */
  let inBackground = 0;
  /** The time from which it is calm, if no other caller comes. */
  let calmFrom = 0;
  let serial = 0;
  let meanMs: number | null = null;

  // Only parties of one priority are compared, so a key's work in the background does not lower the share of its chats.
  const shareOf = ({ name, priority }: Party): Share => {
    const id = `${priority} ${name}`;
    const share = shares.get(id) ?? { held: 0, served: 0 };
    shares.set(id, share);
    return share;
  };
  /** Asks work in the background to end, so that a caller of `party` gets the slots that it lacks. */
  const makeWay = (party: Party, lacking: number): void => {
    if (inBackground === 0) return;
    const ending = holdsToEnd([...holds], party, lacking);
    for (const hold of ending) hold.leaving = true;
    for (const hold of ending) hold.party.giveWay?.();
  };
  return {
    get busy() {
      return busy;
    },
    /** The mean duration of uses, in ms; null before one has ended. */
    get meanMs() {
      return meanMs;
    },
    shareOf,
    /** False if a party is work in the background that must wait because other callers hold slots, or did until now. */
    allows(count: number, { giveWay }: Party): boolean {
      if (!giveWay || inBackground + count <= backgroundBesideOthers) return true;
      return busy === inBackground && performance.now() >= calmFrom;
    },
    /** Returns the time until work in the background may have all slots again, in ms; null while other callers hold some. */
    untilCalm: () => (busy === inBackground ? calmFrom - performance.now() : null),
    makeWay,
    /**
     * Counts `count` slots as used by a party. Returns the function that ends the use, which returns false from its
     * second call on.
     */
    take(count: number, party: Party): () => boolean {
      const share = shareOf(party);
      const since = performance.now();
      const hold: SlotHold = { party, count, leaving: false };
      let ended = false;
      holds.add(hold);
      busy += count;
      if (party.giveWay) inBackground += count;
      else makeWay(party, inBackground - backgroundBesideOthers);
      share.held += count;
      share.served = ++serial;
      return () => {
        if (ended) return false;
        ended = true;
        holds.delete(hold);
        busy -= count;
        if (party.giveWay) inBackground -= count;
        else calmFrom = performance.now() + calmMs;
        share.held -= count;
        meanMs = meanAfter(meanMs, performance.now() - since);
        return true;
      };
    },
  };
}
