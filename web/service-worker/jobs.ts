import { builtInModel, modelNotFound } from '../../src/contract/errors.ts';
import type { ImportedFile } from '../../src/contract/models/importer.ts';
import type { PullEvent, Puller } from '../../src/contract/models/puller.ts';
import type { Remover } from '../../src/contract/models/remover.ts';
import { openCall } from '../../src/wire/call.ts';
import { eventsOf } from '../../src/wire/events-of.ts';
import type { BrowserModel, ModelJob } from '../protocol.ts';
import { callOver } from './call.ts';
import type { Connect } from './connect.ts';

export interface JobOptions {
  /** The id of the API request, for the log. */
  requestId: string;
  connect: Connect;
  find: (id: string) => BrowserModel | undefined;
  /** Reads the stored models again. */
  refresh: () => Promise<void>;
}

/** The changes of the stored models that an API request can ask for. A worker of the leader makes them. */
export interface Jobs extends Puller, Remover {
  /** Stores a model file. `body` is its content. */
  importModel(file: ImportedFile, body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<PullEvent>;
}

export function createJobs({ requestId, connect, find, refresh }: JobOptions): Jobs {
  const run = async function* (job: ModelJob, body: ReadableStream<Uint8Array> | null, signal: AbortSignal) {
    const events = eventsOf<PullEvent>(async (emit, signal) => {
      const link = await connect({ destination: { to: 'models', body }, ...(body && { transfer: [body] }) }, signal);
      await callOver(link, (port) => openCall(port, job, emit, { requestId, signal }));
    }, signal);
    for await (const event of events) {
      if (event.status === 'done') await refresh();
      yield event;
    }
  };

  return {
    pull: (source, signal) => run({ kind: 'pull', source }, null, signal),
    importModel: (file, body, signal) => run({ kind: 'import', ...file }, body, signal),
    async remove(id) {
      const model = find(id);
      if (!model) throw modelNotFound(id);
      if (model.source.files.some(({ place }) => place === 'shell')) throw builtInModel(id);
      for await (const _ of run({ kind: 'remove', id }, null, new AbortController().signal));
      await refresh();
    },
  };
}
