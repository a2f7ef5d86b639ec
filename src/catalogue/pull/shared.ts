import type { PullEvent } from '../../contract/models/puller.ts';
import { placeTaken } from './errors.ts';
import type { PullPlan } from './remote.ts';

type Listener = (event: PullEvent) => void;

/** Fetches the files of a plan and reports events. */
export type Work = (plan: PullPlan, emit: Listener, signal: AbortSignal) => Promise<void>;

/** A running pull and its followers. */
interface SharedPull {
  plan: PullPlan;
  followers: Set<Listener>;
  last: PullEvent | undefined;
  cancel: AbortController;
  outcome: Promise<void>;
}

/**
 * Lets all callers that want the same model follow one pull of it. A caller that comes later gets the latest event at
 * once. The pull is cancelled when the last follower leaves.
 *
 * @returns a function that resolves when the pull has ended. It throws the pull's error, or the reason of `signal`
 */
export function shareWork(work: Work): Work {
  const running = new Map<PullPlan['id'], SharedPull>();

  const forget = (shared: SharedPull) => {
    if (running.get(shared.plan.id) === shared) running.delete(shared.plan.id);
  };

  const start = (plan: PullPlan): SharedPull => {
    const cancel = new AbortController();
    const shared: SharedPull = { plan, followers: new Set(), last: undefined, cancel, outcome: Promise.resolve() };
    const emit = (event: PullEvent) => {
      shared.last = event;
      for (const tell of shared.followers) tell(event);
    };
    shared.outcome = work(plan, emit, cancel.signal).finally(() => forget(shared));
    // Followers get the error. Without followers, the error only says that the pull was cancelled.
    shared.outcome.catch(() => {});
    running.set(plan.id, shared);
    return shared;
  };

  return async (plan, emit, signal) => {
    const shared = running.get(plan.id) ?? start(plan);
    if (!isSamePlan(shared.plan, plan))
      throw placeTaken(`${plan.id} is being pulled from another source just now. Try again when that has ended.`);
    shared.followers.add(emit);
    if (shared.last) emit(shared.last);
    try {
      await unlessAborted(shared.outcome, signal);
    } finally {
      shared.followers.delete(emit);
      if (shared.followers.size === 0) {
        forget(shared);
        shared.cancel.abort();
      }
    }
  };
}

function isSamePlan(a: PullPlan, b: PullPlan): boolean {
  const identity = ({ files }: PullPlan) => JSON.stringify(files.map(({ name, url, sha256 }) => [name, sha256 ?? url]));
  return identity(a) === identity(b);
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
