import type { Log } from '../../../core/log.ts';
import type { Puller } from '../../../core/puller.ts';
import { hubFrom } from '../hub.ts';
import { PATIENCE, type Patience } from '../patience.ts';
import type { Fetch } from '../remote.ts';
import { createSharedPuller } from '../shared-puller.ts';
import { fetchModel } from './fetch-model.ts';
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
  return createSharedPuller({
    hub: hubFrom(env),
    fetch: fetchAsPaddock,
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

/** Lengths and ranges are those of the file only where nothing is compressed. */
const fetchAsPaddock: Fetch = (url, { headers, signal }) =>
  fetch(url, { headers: { 'accept-encoding': 'identity', 'user-agent': 'paddock', ...headers }, signal });
