import { PATIENCE } from '../../src/catalogue/pull/patience.ts';
import { createSharedPuller } from '../../src/catalogue/pull/shared-puller.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';
import type { ModelJob } from '../protocol.ts';
import { fetchModel } from './fetch-model.ts';
import { BROWSER_HUB } from './hub.ts';
import { importModel } from './import-model.ts';
import { createPageFetch } from './page-fetch.ts';
import { removeModel } from './remove-model.ts';

/**
 * Does a job and tells how far it is. `body` is the file of an import. Throws an `ApiError` that says what the caller
 * can do.
 */
export type DoJob = (
  job: ModelJob,
  body: ReadableStream<Uint8Array> | null,
  emit: (event: PullEvent) => void,
  signal: AbortSignal,
) => Promise<void>;

/** @param endpoint the URL of a hub other than Hugging Face's */
export function createJobs(endpoint: string | null): DoJob {
  const hub = { ...BROWSER_HUB, ...(endpoint !== null && { endpoint: endpoint.replace(/\/+$/, '') }) };
  const puller = createSharedPuller({ hub, fetch: createPageFetch(), patience: PATIENCE, fetchModel });
  return async (job, body, emit, signal) => {
    switch (job.kind) {
      case 'pull':
        for await (const event of puller.pull(job.source, signal)) emit(event);
        return;
      case 'import':
        if (!body) throw new Error('an import came without its file');
        return importModel(job, body, emit, signal);
      case 'remove':
        return removeModel(job.id);
      default:
        return job satisfies never;
    }
  };
}
