import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Puller } from '../../core/puller.ts';

export interface PullerOptions {
  /** Where models go: the user's models folder. */
  modelsFolder: string;
  /** Where unfinished pulls lie; on the disk of `modelsFolder`, since a finished one is moved over by a rename. */
  downloadsFolder: string;
  /** HF_TOKEN and HF_ENDPOINT are read. */
  env: Record<string, string | undefined>;
  /** Called after a model has been put into `modelsFolder` and before `done` is told. */
  refresh: () => Promise<void>;
  log: Log;
}

/** Fetches models over HTTP into a folder of the catalogue. */
export function createPuller(_options: PullerOptions): Puller {
  return {
    async *pull() {
      throw new ApiError({ status: 501, type: 'server_error', code: null, param: null, message: 'not there yet' });
    },
  };
}
