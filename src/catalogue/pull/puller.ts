import { createEventQueue } from '../../core/event-queue.ts';
import type { Log } from '../../core/log.ts';
import type { PullEvent, Puller } from '../../core/puller.ts';
import { placeTaken } from './errors.ts';
import { fetchModel } from './fetch-model.ts';
import { hubFrom } from './hub.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { makePlan } from './plan.ts';
import type { PullPlan } from './remote.ts';
import { findDownloadsFolder } from './workspace.ts';

export interface PullerOptions {
  /** Where models go: the user's models folder. */
  modelsFolder: string;
  /** Where unfinished pulls lie, if that is on the disk of `modelsFolder`; otherwise they lie in `modelsFolder` itself. */
  downloadsFolder: string;
  /** HF_TOKEN and HF_ENDPOINT are read. */
  env: Record<string, string | undefined>;
  /** Called when a model is in `modelsFolder`, before `done` is told. */
  refresh: () => Promise<void>;
  log: Log;
  patience?: Patience;
}

/** A pull that is under way, and who follows it. */
interface SharedPull {
  plan: PullPlan;
  followers: Set<(event: PullEvent) => void>;
  last: PullEvent | undefined;
  cancel: AbortController;
  outcome: Promise<void>;
}

/** Fetches models over HTTP into a folder of the catalogue. Throws a plain error when HF_ENDPOINT is no URL. */
export function createPuller(options: PullerOptions): Puller {
  const { modelsFolder, downloadsFolder, env, refresh, log, patience = PATIENCE } = options;
  const hub = hubFrom(env);
  const running = new Map<string, SharedPull>();

  const start = (plan: PullPlan): SharedPull => {
    const followers: SharedPull['followers'] = new Set();
    const cancel = new AbortController();
    const emit = (event: PullEvent) => {
      shared.last = event;
      for (const follower of followers) follower(event);
    };
    const work = async () => {
      const downloads = await findDownloadsFolder(downloadsFolder, modelsFolder);
      const onWait = (reason: string) => emit({ status: 'waiting', reason });
      const limits = { patience, limitMs: patience.downloadingMs, signal: cancel.signal, onWait };
      const { alreadyHere } = await fetchModel(plan, { models: modelsFolder, downloads }, emit, limits);
      await refresh();
      log.info('model pulled', { id: plan.id, files: plan.files.map(({ name }) => name), alreadyHere });
      emit({ status: 'done', model: plan.id, alreadyHere });
    };
    const shared: SharedPull = { plan, followers, last: undefined, cancel, outcome: Promise.resolve() };
    shared.outcome = work().finally(() => forget(shared));
    // Whoever follows hears of a failure; when nobody does any more, it is that of the cancelled pull.
    shared.outcome.catch(() => {});
    running.set(plan.id, shared);
    return shared;
  };

  const forget = (shared: SharedPull) => {
    if (running.get(shared.plan.id) === shared) running.delete(shared.plan.id);
  };

  const follow = async (plan: PullPlan, push: (event: PullEvent) => void, signal: AbortSignal) => {
    const shared = running.get(plan.id) ?? start(plan);
    if (!isSamePlan(shared.plan, plan))
      throw placeTaken(`${plan.id} is being pulled from another source just now. Try again when that has ended.`);
    shared.followers.add(push);
    if (shared.last) push(shared.last);
    try {
      await unlessAborted(shared.outcome, signal);
    } finally {
      shared.followers.delete(push);
      if (shared.followers.size === 0) {
        forget(shared);
        shared.cancel.abort();
      }
    }
  };

  return {
    pull(source, signal) {
      const leave = new AbortController();
      const queue = createEventQueue<PullEvent>(() => leave.abort());
      signal.addEventListener('abort', () => leave.abort(), { once: true });
      if (signal.aborted) leave.abort();
      const onWait = (reason: string) => queue.push({ status: 'waiting', reason });
      const run = async () => {
        queue.push({ status: 'resolving' });
        const limits = { patience, limitMs: patience.resolvingMs, signal: leave.signal, onWait };
        await follow(await makePlan(source, hub, limits), queue.push, leave.signal);
      };
      run().then(queue.end, queue.fail);
      return queue;
    },
  };
}

function isSamePlan(a: PullPlan, b: PullPlan): boolean {
  const files = ({ files }: PullPlan) => JSON.stringify(files.map(({ name, url, sha256 }) => [name, sha256 ?? url]));
  return files(a) === files(b);
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
