import { ELECTION_LOCK, readLeaderLock } from '../protocol.ts';

/** A page's candidacy for the lead. */
export interface Candidacy {
  /**
   * Takes the lead from a leader that is frozen. Does nothing if this page leads in that epoch or a later one already:
   * several requests may notice at once that a leader is frozen.
   */
  takeOver(epoch: number): void;
  /** Steps down and stands no more. */
  end(): void;
}

/**
 * Waits until the leader before is gone, and leads then; `takeOver` leads at once. A page that loses the lead waits for
 * it again.
 *
 * @param lead leads in this epoch until the signal is aborted. The epoch is higher than that of every leader that still
 *   lives.
 */
export function standForElection(
  lead: (epoch: number, signal: AbortSignal) => Promise<void>,
  locks: LockManager = navigator.locks,
): Candidacy {
  let ended = false;
  let epoch = 0;
  let term = new AbortController();

  /**
   * Waits for the lock, or steals it for this epoch. Whoever steals it next ends this term: it rejects the lock's
   * request.
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
      // It was aborted while it waited, or the lock was stolen.
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

/** The highest epoch of the leaders that live, frozen ones included; 0 when there is none. */
async function newestEpoch(locks: LockManager): Promise<number> {
  const { held = [] } = await locks.query();
  return Math.max(0, ...held.map(({ name = '' }) => readLeaderLock(name)?.epoch ?? 0));
}
