import { ApiError, toErrorData } from '../../src/core/errors.ts';
import { consoleLog as log } from '../console-log.ts';
import { hostPort } from '../liveness.ts';
import type { Connection, JobMessage } from '../protocol.ts';
import { openDoor } from '../worker-door.ts';
import { createJobs } from './jobs.ts';

// The dedicated worker that changes the stored models: only there files can be written synchronously. `?hub=` in its own URL
// names another hub than Hugging Face's.

declare const self: DedicatedWorkerGlobalScope;

const doJob = createJobs(new URL(self.location.href).searchParams.get('hub'));
void openDoor(self, (connection, port) => void serve(connection, port));

async function serve(connection: Connection, rawPort: MessagePort): Promise<void> {
  if (connection.to !== 'models') return rawPort.close();
  const port = hostPort(rawPort, connection.requestId);
  const say = (message: JobMessage) => port.postMessage(message);
  const cancel = new AbortController();
  // There is no other command.
  port.onmessage = () => cancel.abort();
  try {
    await doJob(connection.job, (event) => say({ kind: 'event', event }), cancel.signal);
    say({ kind: 'end' });
  } catch (error) {
    if (!(error instanceof ApiError) && !cancel.signal.aborted) log.error('a job failed', { error: String(error) });
    say({ kind: 'error', error: toErrorData(error) });
  } finally {
    port.close();
  }
}
