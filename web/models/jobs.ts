import { PATIENCE } from '../../src/catalogue/pull/patience.ts';
import { createSharedPuller } from '../../src/catalogue/pull/shared-puller.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';
import type { ModelJob } from '../protocol.ts';
import { BROWSER_HUB } from './browser-hub.ts';
import { fetchModel } from './fetch-model.ts';
import { storeImportedModel } from './import-model.ts';
import { createPageFetch } from './page-fetch.ts';
import { removeStoredModel } from './remove-model.ts';

/**
 * Does a job and emits its progress. `body` is the file of an import. Throws an `ApiError` that says what the caller
 * can do.
 */
export type DoJob = (
  job: ModelJob,
  body: ReadableStream<Uint8Array> | null,
  emit: (event: PullEvent) => void,
  signal: AbortSignal,
) => Promise<void>;

/**
 * Returns the function that does all jobs. `endpoint` is the URL of a hub other than Hugging Face's; null for Hugging
 * Face.
 */
export function createJobHandler(endpoint: string | null): DoJob {
  const hub = { ...BROWSER_HUB, ...(endpoint !== null && { endpoint: endpoint.replace(/\/+$/, '') }) };
  const puller = createSharedPuller({ hub, fetch: createPageFetch(), patience: PATIENCE, fetchModel });
  return async (job, body, emit, signal) => {
    switch (job.kind) {
      case 'pull':
        for await (const event of puller.pull(job.source, signal)) emit(event);
        return;
      case 'import':
        if (!body) throw new Error('an import came without its file');
        return storeImportedModel(job, body, emit, signal);
      case 'remove':
        return removeStoredModel(job.id);
      default:
        return job satisfies never;
    }
  };
}
