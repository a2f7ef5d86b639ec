import type { BatchObject, FileObject } from '../../contract/batches.ts';
import { RefusedRequest, type ServerClient } from './client.ts';

/** The batches of a server, for the commands. Every call throws an `Error` with a message for users. */
export interface BatchClient {
  /** Uploads the lines of a batch and begins it. */
  begin(filename: string, lines: string, endpoint: string): Promise<BatchObject>;
  /** Returns null if the server does not know the batch. */
  find(id: string): Promise<BatchObject | null>;
  /** Returns the text of a file. */
  read(fileId: string): Promise<string>;
  /** Deletes a file. */
  remove(fileId: string): Promise<void>;
}

/** Makes the client of batches over a server's client, which sends the API key. */
export function createBatchClient({ send }: Pick<ServerClient, 'send'>): BatchClient {
  return {
    async begin(filename, lines, endpoint) {
      const form = new FormData();
      form.append('purpose', 'batch');
      form.append('file', new Blob([lines]), filename);
      const file = (await (await send('/v1/files', { method: 'POST', body: form })).json()) as FileObject;
      const wanted = { input_file_id: file.id, endpoint, completion_window: '24h' };
      const reply = await send('/v1/batches', { method: 'POST', body: JSON.stringify(wanted) });
      return (await reply.json()) as BatchObject;
    },
    async find(id) {
      try {
        return (await (await send(`/v1/batches/${encodeURIComponent(id)}`)).json()) as BatchObject;
      } catch (error) {
        if (error instanceof RefusedRequest && error.status === 404) return null;
        throw error;
      }
    },
    read: async (fileId) => (await send(`/v1/files/${fileId}/content`)).text(),
    async remove(fileId) {
      await send(`/v1/files/${fileId}`, { method: 'DELETE' });
    },
  };
}
