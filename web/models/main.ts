import { toLogFields } from '../../src/contract/log.ts';
import type { PullEvent } from '../../src/contract/models/puller.ts';
import { serveCall } from '../../src/wire/call.ts';
import { consoleLog as log } from '../console-log.ts';
import { leaderPort } from '../liveness.ts';
import type { Connection, ModelJob } from '../protocol.ts';
import { openInbox } from '../worker-inbox.ts';
import { createJobHandler } from './jobs.ts';

// The dedicated worker that changes the stored models: only dedicated workers can write files synchronously. `?hub=` in
// its own URL names another hub than Hugging Face's.

declare const self: DedicatedWorkerGlobalScope;

const doJob = createJobHandler(new URL(self.location.href).searchParams.get('hub'));
void openInbox(self, (connection, port) => void serve(connection, port));

async function serve(connection: Connection, rawPort: MessagePort): Promise<void> {
  if (connection.to !== 'models') return rawPort.close();
  const { id, body } = connection;
  let model: string | undefined;
  await serveCall<ModelJob, PullEvent>(
    leaderPort(rawPort, id),
    (job, emit, { signal }) => {
      model = modelOf(job);
      return doJob(job, body, emit, signal);
    },
    (error, { requestId, signal }) => {
      if (!signal.aborted) log.error('job failed', { requestId, model, ...toLogFields(error) });
    },
  );
  // A body that is not read keeps the page's upload running, even after the call has ended.
  await body?.cancel().catch(() => {});
}

/** Returns the name of a job's model for the log: its id, or the source that it is pulled from. */
function modelOf(job: ModelJob): string {
  switch (job.kind) {
    case 'pull':
      // The query of a URL may hold a key.
      return job.source.replace(/\?.*$/, '');
    case 'import':
      return job.filename;
    case 'remove':
      return job.id;
    default:
      return job satisfies never;
  }
}
