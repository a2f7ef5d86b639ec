import type { Log } from '../../../contract/log.ts';
import type { Puller } from '../../../contract/models/puller.ts';
import { hubFrom } from '../hugging-face.ts';
import { PATIENCE, type Patience } from '../patience.ts';
import { createSharedPuller } from '../shared-puller.ts';
import { createServerFetch } from './fetch.ts';
import { fetchModel } from './fetch-model.ts';
import { findDownloadsFolder } from './workspace.ts';

export interface PullerOptions {
  /** The user's models folder, where pulled models go. */
  modelsFolder: string;
  /** The folder of unfinished pulls. It is used only if it is on the same disk as `modelsFolder`. */
  downloadsFolder: string;
  /** HF_TOKEN and HF_ENDPOINT are read from it. */
  env: Record<string, string | undefined>;
  /** True if models may come from this machine and from private networks. The hub may be there in any case. */
  allowPrivate: boolean;
  /** Called once a model is in `modelsFolder`, before the event `done`. */
  refresh: () => Promise<void>;
  log: Log;
  patience?: Patience;
}

/**
 * Makes the puller that fetches models over HTTP into the models folder. Throws a plain error if HF_ENDPOINT is not a
 * URL.
 */
export function createPuller(options: PullerOptions): Puller {
  const { modelsFolder, downloadsFolder, env, allowPrivate, refresh, log, patience = PATIENCE } = options;
  const hub = hubFrom(env);
  return createSharedPuller({
    hub,
    fetch: createServerFetch({ hubUrl: hub.endpoint, allowPrivate }),
    patience,
    async fetchModel(plan, emit, limits) {
      const folders = { models: modelsFolder, downloads: await findDownloadsFolder(downloadsFolder, modelsFolder) };
      const { alreadyHere } = await fetchModel(plan, folders, emit, limits);
      await refresh();
      log.info('model pulled', { id: plan.id, files: plan.files.map(({ name }) => name), alreadyHere });
      return { alreadyHere };
    },
  });
}
