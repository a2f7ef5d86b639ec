import type { Party } from '../contract/call-context.ts';
import { overloaded } from '../contract/errors.ts';
import { claimToRefuse, firstOf, meanAfter, retryAfterSeconds, type Share, type SlotClaim } from './slot-order.ts';

/** Hands out a fixed number of slots: in the order of arrival, and fairly between the parties that wait. */
export interface SlotQueue {
  /** The number of slots in use. */
  readonly busy: number;
  /** The number of callers that wait for slots. */
  readonly waiting: number;
  /**
   * Waits for `count` slots and returns the function that frees them; calling it twice does no harm. Returns null if
   * the signal aborts first. Throws a 503 `ApiError` if the queue is full. A caller that waits is refused with the same
   * error if its party has the most callers in a full queue and a caller of another party comes.
   */
  acquire(signal: AbortSignal, count?: number, party?: Party): Promise<(() => void) | null>;
}

interface Waiter extends SlotClaim {
  count: number;
  grant: () => void;
  refuse: () => void;
}

/** The party of all callers without a key. */
const NOBODY: Party = { name: '', priority: 0 };

/**
 * Makes a queue for `slots` slots, in which at most `maxWaiting` callers wait. `firstOf` decides who gets a free slot.
 * A single party is served in the order of arrival.
 */
export function createSlotQueue(slots: number, maxWaiting: number): SlotQueue {
  const use = createSlotUse();
  const waiters = new Set<Waiter>();

  // If the first caller needs more slots than are free, all wait: callers that need one slot must not overtake it.
  const grantWaiting = () => {
    for (let next = firstOf([...waiters]); next; next = firstOf([...waiters])) {
      if (use.busy + next.count > slots) return;
      next.grant();
    }
  };
  const take = (count: number, party: Party) => {
    const free = use.take(count, party);
    return () => {
      if (free()) grantWaiting();
    };
  };
  const full = () => {
    const retry = retryAfterSeconds(waiters.size, slots, use.meanMs);
    return overloaded(`All ${slots} slots are busy and ${maxWaiting} requests wait already.`, retry);
  };
  const makePlaceFor = (party: Party) => {
    const refused = claimToRefuse([...waiters], party);
    if (!refused) throw full();
    refused.refuse();
  };
  const wait = (signal: AbortSignal, count: number, party: Party) =>
    new Promise<(() => void) | null>((resolve, reject) => {
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
        share: use.shareOf(party),
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
    });

  return {
    get busy() {
      return use.busy;
    },
    get waiting() {
      return waiters.size;
    },
    async acquire(signal, count = 1, party = NOBODY) {
      if (signal.aborted) return null;
      if (waiters.size === 0 && use.busy + count <= slots) return take(count, party);
      if (waiters.size >= maxWaiting) makePlaceFor(party);
      const granted = wait(signal, count, party);
      // The first of the others may need more slots than are free, and the newcomer may come before it.
      grantWaiting();
      return granted;
    },
  };
}

/** Counts the slots in use, in all and of each party, and how long they are used. */
function createSlotUse() {
  const shares = new Map<string, Share>();
  let busy = 0;
  let serial = 0;
  let meanMs: number | null = null;

  const shareOf = ({ name }: Party): Share => {
    const share = shares.get(name) ?? { held: 0, served: 0 };
    shares.set(name, share);
    return share;
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
    /**
     * Counts `count` slots as used by a party. Returns the function that ends the use, which returns false from its
     * second call on.
     */
    take(count: number, party: Party): () => boolean {
      const share = shareOf(party);
      const since = performance.now();
      let ended = false;
      busy += count;
      share.held += count;
      share.served = ++serial;
      return () => {
        if (ended) return false;
        ended = true;
        busy -= count;
        share.held -= count;
        meanMs = meanAfter(meanMs, performance.now() - since);
        return true;
      };
    },
  };
}
