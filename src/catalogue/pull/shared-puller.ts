import type { PullEvent, Puller } from '../../contract/models/puller.ts';
import { createEventQueue } from '../../wire/event-queue.ts';
import type { Hub } from './hugging-face.ts';
import type { Patience, PersistOptions } from './patience.ts';
import { makePlan } from './plan.ts';
import type { Fetch, PullPlan } from './remote.ts';
import { shareWork } from './shared.ts';

/** The parts of a puller that differ between platforms. */
export interface PullerParts {
  hub: Hub;
  fetch: Fetch;
  patience: Patience;
  /** Fetches the files of a plan and puts them into the catalogue. Throws `ApiError`. */
  fetchModel(
    plan: PullPlan,
    emit: (event: PullEvent) => void,
    options: PersistOptions,
  ): Promise<{ alreadyHere: boolean }>;
}

/** Makes a puller that fetches a model once, however many callers ask for it at the same time. */
export function createSharedPuller({ hub, fetch, patience, fetchModel }: PullerParts): Puller {
  const follow = shareWork(async (plan, emit, signal) => {
    const onWait = (reason: string) => emit({ status: 'waiting', reason });
    const limits = { patience, limitMs: patience.downloadingMs, signal, fetch, onWait };
    const { alreadyHere } = await fetchModel(plan, emit, limits);
    emit({ status: 'done', model: plan.id, alreadyHere });
  });

  return {
    pull(source, signal) {
      const leave = new AbortController();
      const queue = createEventQueue<PullEvent>(() => leave.abort());
      signal.addEventListener('abort', () => leave.abort(), { once: true });
      if (signal.aborted) leave.abort();
      const run = async () => {
        queue.push({ status: 'resolving' });
        const onWait = (reason: string) => queue.push({ status: 'waiting', reason });
        const limits = { patience, limitMs: patience.resolvingMs, signal: leave.signal, fetch, onWait };
        await follow(await makePlan(source, hub, limits), queue.push, leave.signal);
      };
      run().then(queue.end, queue.fail);
      return queue;
    },
  };
}
