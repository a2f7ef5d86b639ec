import { createEventQueue } from '../../core/event-queue.ts';
import type { Log } from '../../core/log.ts';
import type { PullEvent, Puller } from '../../core/puller.ts';
import { fetchModel } from './fetch-model.ts';
import { hubFrom } from './hub.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { makePlan } from './plan.ts';
import { shareWork, type Work } from './shared.ts';
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

/** Fetches models over HTTP into a folder of the catalogue. Throws a plain error when HF_ENDPOINT is no URL. */
export function createPuller(options: PullerOptions): Puller {
  const { modelsFolder, downloadsFolder, env, refresh, log, patience = PATIENCE } = options;
  const hub = hubFrom(env);

  const work: Work = async (plan, emit, signal) => {
    const folders = { models: modelsFolder, downloads: await findDownloadsFolder(downloadsFolder, modelsFolder) };
    const onWait = (reason: string) => emit({ status: 'waiting', reason });
    const limits = { patience, limitMs: patience.downloadingMs, signal, onWait };
    const { alreadyHere } = await fetchModel(plan, folders, emit, limits);
    await refresh();
    log.info('model pulled', { id: plan.id, files: plan.files.map(({ name }) => name), alreadyHere });
    emit({ status: 'done', model: plan.id, alreadyHere });
  };
  const follow = shareWork(work);

  return {
    pull(source, signal) {
      const leave = new AbortController();
      const queue = createEventQueue<PullEvent>(() => leave.abort());
      signal.addEventListener('abort', () => leave.abort(), { once: true });
      if (signal.aborted) leave.abort();
      const run = async () => {
        queue.push({ status: 'resolving' });
        const onWait = (reason: string) => queue.push({ status: 'waiting', reason });
        const limits = { patience, limitMs: patience.resolvingMs, signal: leave.signal, onWait };
        await follow(await makePlan(source, hub, limits), queue.push, leave.signal);
      };
      run().then(queue.end, queue.fail);
      return queue;
    },
  };
}
