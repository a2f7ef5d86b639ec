import { ApiError } from '../contract/errors.ts';
import { type Log, toLogFields } from '../contract/log.ts';
import { findByName } from '../contract/models/find-model.ts';
import { findStarter } from '../contract/models/find-starter.ts';
import type { Catalogue } from '../contract/models/model.ts';
import type { Runner } from '../contract/runner.ts';
import { UsageError } from './errors.ts';

/** The `retry-after` header of a server that is not ready, in seconds. Loads take from one to a hundred seconds. */
const RETRY_AFTER_SECONDS = 5;

/** The models that must be loaded before the server is ready. */
export interface Preload {
  /** Loads the models one after another, and logs the models that could not be loaded. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Returns why the server is not ready, as a 503; null once all models are loaded. */
  unready(): ApiError | null;
}

/**
 * Returns the ids of the models that `--preload` names by id, by an alias or as a starter model. Throws a `UsageError` if a model is not in
 * the catalogue.
 */
export function preloadedIds(names: string[], catalogue: Catalogue): string[] {
  return [...new Set(names.map((name) => idOf(name, catalogue)))];
}

function idOf(name: string, catalogue: Catalogue): string {
  const card = findByName(catalogue, name);
  if (card) return card.id;
  const starter = findStarter(name);
  throw new UsageError(
    starter
      ? `--preload names the starter model ${name}, which is not here yet: paddock pull ${name}`
      : `--preload names the model ${name}, which does not exist`,
  );
}

/** Makes the preload of these models. */
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
