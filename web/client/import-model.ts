import { sseData } from '../../src/api/stream/sse-data.ts';
import { chunksOf } from '../body-chunks.ts';

/** The fields of the API's `PullEvent` that are read here. */
type StreamEvent =
  | { status: 'downloading'; completed: number; total: number }
  | { status: 'done'; model: { id: string } }
  | { status: 'resolving' | 'verifying' | 'waiting' }
  | { status?: undefined; error: { message: string } };

/**
 * Stores a GGUF file as a model and returns the model's id. Throws an `Error` with the API's message if the import
 * fails.
 */
export async function sendModelFile(
  file: File,
  headers: Record<string, string>,
  onProgress: (progress: { completed: number; total: number }) => void = () => {},
): Promise<string> {
  const reply = await fetch(`/v1/models/import?filename=${encodeURIComponent(file.name)}&size=${file.size}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: file,
  });
  if (!reply.ok || !reply.body) throw new Error(await errorMessage(reply));
  for await (const data of sseData(chunksOf(reply.body))) {
    if (data === '[DONE]') break;
    const event = JSON.parse(data) as StreamEvent;
    if (event.status === undefined) throw new Error(event.error.message);
    if (event.status === 'downloading') onProgress({ completed: event.completed, total: event.total });
    if (event.status === 'done') return event.model.id;
  }
  throw new Error('The import ended before the model was stored.');
}

async function errorMessage(reply: Response): Promise<string> {
  const body: unknown = await reply.json().catch(() => null);
  const { message } = (body as { error?: { message?: string } } | null)?.error ?? {};
  return message ?? `The import failed with status ${reply.status}.`;
}
