import { ApiError, builtInModel, modelNotFound } from '../../src/core/errors.ts';
import { createEventQueue } from '../../src/core/event-queue.ts';
import type { PullEvent, Puller } from '../../src/core/puller.ts';
import type { Remover } from '../../src/core/remover.ts';
import type { BrowserModel, JobCommand, JobMessage, ModelJob } from '../protocol.ts';
import type { Connect } from './runner.ts';

export interface JobOptions {
  connect: Connect;
  find: (id: string) => BrowserModel | undefined;
  /** Reads anew which models there are. */
  refresh: () => Promise<void>;
}

/** What changes the stored models: done by the worker that may write files, told here as it goes on. */
export interface Jobs extends Puller, Remover {
  /** Stores a model file of the user's. `size` is in bytes, null where it is not known. */
  importModel(
    filename: string,
    size: number | null,
    body: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): AsyncIterable<PullEvent>;
}

export function createJobs({ connect, find, refresh }: JobOptions): Jobs {
  const run = async function* (job: ModelJob, signal: AbortSignal): AsyncGenerator<PullEvent> {
    const transfer = job.kind === 'import' ? { transfer: [job.body] } : {};
    const link = await connect({ connection: { to: 'models', job }, ...transfer }, signal);
    if (!link) return;
    const { port } = link;
    const events = createEventQueue<PullEvent>();
    const cancel = () => {
      port.postMessage({ kind: 'cancel' } satisfies JobCommand);
      events.end();
    };
    port.onmessage = ({ data }) => {
      const message = data as JobMessage;
      if (message.kind === 'event') events.push(message.event);
      else if (message.kind === 'error') events.fail(new ApiError(message.error));
      else events.end();
    };
    link.lost.then(events.fail);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      for await (const event of events) {
        if (event.status === 'done') await refresh();
        yield event;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      link.close();
    }
  };

  return {
    pull: (source, signal) => run({ kind: 'pull', source }, signal),
    importModel: (filename, size, body, signal) => run({ kind: 'import', filename, size, body }, signal),
    async remove(id) {
      const model = find(id);
      if (!model) throw modelNotFound(id);
      if (model.source.files.some(({ place }) => place === 'shell')) throw builtInModel(id);
      for await (const _ of run({ kind: 'remove', id }, new AbortController().signal));
      await refresh();
    },
  };
}
