import { ELECTION_LOCK, readLeaderLock } from '../protocol.ts';

/** A page's candidacy for the lead. */
export interface Candidacy {
  /**
   * Takes the lead from a leader that is frozen. Does nothing if this page already leads in this epoch or a later one:
   * several requests may find the same leader frozen.
   */
  takeOver(epoch: number): void;
  /** Ends the term if this page leads, and ends the candidacy. */
  end(): void;
}

/**
 * Waits until no other page leads, then leads. `takeOver` leads at once. A page that loses the lead waits for it again.
 *
 * @param lead leads in this epoch until the signal aborts. The epoch is higher than the epochs of all leaders that
 *   still exist.
 */
export function standForElection(
  lead: (epoch: number, signal: AbortSignal) => Promise<void>,
  locks: LockManager = navigator.locks,
): Candidacy {
  let ended = false;
  let epoch = 0;
  let term = new AbortController();

  /**
   * Waits for the lock, or steals it for this epoch. If another page steals the lock later, the browser rejects this
   * page's lock request, and the term ends.
   */
  const stand = async (stolenEpoch: number | null): Promise<void> => {
    term.abort();
    const own = new AbortController();
    term = own;
    const rule = async () => {
      if (own.signal.aborted) return;
      epoch = Math.max(stolenEpoch ?? 0, (await newestEpoch(locks)) + 1);
      await lead(epoch, own.signal);
    };
    try {
      await locks.request(ELECTION_LOCK, stolenEpoch === null ? { signal: own.signal } : { steal: true }, rule);
    } catch {
      // The wait was aborted, or another page stole the lock.
    }
    own.abort();
    if (!ended && term === own) {
      epoch = 0;
      await stand(null);
    }
  };

  void stand(null);
  return {
    takeOver(next) {
      if (ended || next <= epoch) return;
      epoch = next;
      void stand(next);
    },
    end() {
      ended = true;
      term.abort();
    },
  };
}

/** Returns the highest epoch of all leaders, frozen ones included; 0 if there is no leader. */
async function newestEpoch(locks: LockManager): Promise<number> {
  const { held = [] } = await locks.query();
  return Math.max(0, ...held.map(({ name = '' }) => readLeaderLock(name)?.epoch ?? 0));
}
