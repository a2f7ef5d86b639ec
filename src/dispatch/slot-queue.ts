import type { Party } from '../contract/call-context.ts';
import { overloaded } from '../contract/errors.ts';

/** Hands out a fixed number of slots: in the order of arrival, and fairly between the parties that wait. */
export interface SlotQueue {
  /** Slots that are taken. */
  readonly busy: number;
  /** Callers that wait for slots. */
  readonly waiting: number;
  /**
   * Waits for `count` slots and returns the function that frees them; calling it twice does no harm. Returns null if
   * the signal aborts first. Throws a 503 `ApiError` if the queue is full: at once, or while it waits when its party fills the
   * queue and another one comes that has fewer callers in it.
   */
  acquire(signal: AbortSignal, count?: number, party?: Party): Promise<(() => void) | null>;
}

interface Waiter {
  count: number;
  party: Party;
  grant: () => void;
  refuse: () => void;
}

/** All who come without a key. */
const NOBODY: Party = { name: '', priority: 0 };

/** A slot's newest use counts this much in the mean time of its uses. */
const WEIGHT_OF_NEWEST = 0.2;
/** Clients that are told to come back later than this, in seconds, had better ask again: nobody knows that far. */
const LONGEST_RETRY_SECONDS = 120;
/** What is told before any slot was given back. */
const FIRST_RETRY_SECONDS = 5;

/**
 * Makes a queue. A free slot goes to the highest priority that waits, there to the party that holds the fewest slots, of those to
 * the one that was served longest ago, and of that to its first caller. So a single party is served in the order of arrival.
 */
export function createSlotQueue(slots: number, maxWaiting: number): SlotQueue {
  let busy = 0;
  let meanMs = 0;
  let serial = 0;
  const waiters = new Set<Waiter>();
  /** Of each party: the slots that it holds, and the serial number of its latest grant. */
  const shares = new Map<string, { held: number; served: number }>();

  const shareOf = ({ name }: Party) => {
    const known = shares.get(name);
    if (known) return known;
    const share = { held: 0, served: 0 };
    shares.set(name, share);
    return share;
  };

  const take = (count: number, party: Party) => {
    const share = shareOf(party);
    const since = performance.now();
    busy += count;
    share.held += count;
    share.served = ++serial;
    let free = () => {
      free = () => {};
      busy -= count;
      share.held -= count;
      const ms = performance.now() - since;
      meanMs = meanMs === 0 ? ms : meanMs + WEIGHT_OF_NEWEST * (ms - meanMs);
      grantWaiting();
    };
    return () => free();
  };

  /** Says whether `a` is to be served before `b`, which came earlier. */
  const comesFirst = (a: Waiter, b: Waiter) => {
    if (a.party.priority !== b.party.priority) return a.party.priority > b.party.priority;
    const [ofA, ofB] = [shareOf(a.party), shareOf(b.party)];
    return ofA.held !== ofB.held ? ofA.held < ofB.held : ofA.served < ofB.served;
  };

  // The one who comes first waits until there are enough slots: no caller that needs one overtakes one that needs several.
  const grantWaiting = () => {
    while (waiters.size > 0) {
      const next = [...waiters].reduce((first, waiter) => (comesFirst(waiter, first) ? waiter : first));
      if (busy + next.count > slots) return;
      next.grant();
    }
  };

  const full = () => {
    const seconds = meanMs === 0 ? FIRST_RETRY_SECONDS : ((waiters.size / slots) * meanMs) / 1000;
    const retry = Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(seconds)));
    return overloaded(`All ${slots} slots are busy and ${maxWaiting} requests wait already.`, retry);
  };

  /** Makes a place in a full queue at the cost of the party that has most callers in it. Throws if that is the new one's. */
  const makePlaceFor = (party: Party) => {
    const counts = new Map<string, number>();
    for (const waiter of waiters) counts.set(waiter.party.name, (counts.get(waiter.party.name) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    const last = [...waiters].findLast((waiter) => counts.get(waiter.party.name) === most);
    if (!last || (counts.get(party.name) ?? 0) + 1 >= most) throw full();
    last.refuse();
  };

  return {
    get busy() {
      return busy;
    },
    get waiting() {
      return waiters.size;
    },
    async acquire(signal, count = 1, party = NOBODY) {
      if (signal.aborted) return null;
      if (waiters.size === 0 && busy + count <= slots) return take(count, party);
      if (waiters.size >= maxWaiting) makePlaceFor(party);
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', aborted);
        };
        const aborted = () => {
          leave();
          resolve(null);
          grantWaiting();
        };
        const waiter: Waiter = {
          count,
          party,
          grant() {
            leave();
            resolve(take(count, party));
          },
          refuse() {
            leave();
            reject(full());
          },
        };
        waiters.add(waiter);
        signal.addEventListener('abort', aborted, { once: true });
        // It may come before those who wait already, and so have a slot that they can't use.
        grantWaiting();
      });
    },
  };
}
