import { LEADER_LOCK, readHostLock } from '../protocol.ts';

/** A page's candidacy for hosting the workers. */
export interface Candidacy {
  /**
   * Takes the leadership from whoever has it, because that one is frozen. Does nothing where this page leads in that epoch or a later
   * one already: several requests may find out at once.
   */
  takeOver(epoch: number): void;
  /** Steps down and stands no more. */
  end(): void;
}

/**
 * Waits to be the leader among the origin's pages, and leads: once whoever led is gone, or at once by `takeOver`. A page that loses
 * the leadership waits for it again.
 *
 * @param lead hosts in this epoch until the signal is aborted; every leader has a higher epoch than those before it that still live
 */
export function standForHost(
  lead: (epoch: number, signal: AbortSignal) => Promise<void>,
  locks: LockManager = navigator.locks,
): Candidacy {
  let ended = false;
  let epoch = 0;
  let term = new AbortController();

  /** Waits for its turn, or steals it for this epoch. A steal ends with the next steal, which rejects the request. */
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
      await locks.request(LEADER_LOCK, stolenEpoch === null ? { signal: own.signal } : { steal: true }, rule);
    } catch {
      // Aborted while it waited, or robbed of the leadership.
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

/** Of the pages that host now, frozen ones included; 0 where none does. */
async function newestEpoch(locks: LockManager): Promise<number> {
  const { held = [] } = await locks.query();
  return Math.max(0, ...held.map(({ name = '' }) => readHostLock(name)?.epoch ?? 0));
}
