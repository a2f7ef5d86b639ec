import { ApiError } from '../contract/errors.ts';
import { type Log, toLogFields } from '../contract/log.ts';
import type { Catalogue } from '../contract/models/model.ts';
import type { Runner } from '../contract/runner.ts';
import { UsageError } from './errors.ts';

/** When a balancer may ask again, in seconds: loads take from one to a hundred. */
const RETRY_AFTER_SECONDS = 5;

/** The models that are loaded before the server calls itself ready. */
export interface Preload {
  /** Loads them, one after another, and tells in the log what could not be loaded. */
  run(signal: AbortSignal): Promise<void>;
  /** Why the server is not ready; null once all of them are loaded. */
  unready(): ApiError | null;
}

/** Throws a `UsageError` for a model that there is not. */
export function checkPreload(ids: string[], catalogue: Pick<Catalogue, 'find'>): void {
  const unknown = ids.find((id) => !catalogue.find(id));
  if (unknown !== undefined) throw new UsageError(`--preload names the model ${unknown}, which does not exist`);
}

export function createPreload(ids: string[], { residency }: Pick<Runner, 'residency'>, log: Log): Preload {
  const missing = new Set(ids);
  let failed: string | null = null;
  return {
    async run(signal) {
      for (const id of ids) {
        try {
          await residency?.load(id, signal);
          missing.delete(id);
        } catch (error) {
          if (signal.aborted) return;
          failed ??= id;
          log.error('a model of --preload could not be loaded, so the server does not get ready', {
            model: id,
            ...toLogFields(error),
          });
        }
      }
    },
    unready() {
      if (failed !== null) return notReady('preload_failed', `The model '${failed}' could not be loaded at the start.`);
      return missing.size === 0
        ? null
        : notReady('preloading', 'The server still loads the models that it starts with.');
    },
  };
}

function notReady(code: string, message: string): ApiError {
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return new ApiError({ status: 503, type: 'server_error', code, param: null, message, headers });
}
