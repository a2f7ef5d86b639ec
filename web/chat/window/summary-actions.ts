import type { ListedModel } from '../../../src/contract/models/model.ts';
import { type ApiClient, ApiFailure } from '../api/client.ts';
import type { Turn } from '../conversation/conversation.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { ChatChunk } from '../reply/reply.ts';
import { WINDOW_FULL } from './fill.ts';
import { toSummaryRequest } from './summary.ts';

interface SummaryJob {
  model: ListedModel;
  /** The context window of the model, in tokens. */
  window: number;
  turns: Turn[];
  /** The summary of the turns before these; null if there is none. */
  before: string | null;
}

/**
 * Has the model summarise turns. `onText` gets the text so far while it grows. Throws an `ApiFailure` if the request
 * fails, a `LocalizedError` if the model writes nothing, and an `AbortError` if the signal is aborted.
 */
export async function writeSummary(
  client: ApiClient,
  { model, window, turns, before }: SummaryJob,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const ask = async (part: Turn[], summary: string | null): Promise<string> => {
    let text = '';
    const body = toSummaryRequest(model.id, part, summary, window);
    for await (const chunk of client.events('/v1/chat/completions', body, signal)) {
      text += (chunk as ChatChunk).choices?.[0]?.delta.content ?? '';
      onText(text);
    }
    if (text.trim() === '') throw new LocalizedError('window.wroteNone', { model: model.name });
    return text.trim();
  };
  const write = async (part: Turn[], summary: string | null): Promise<string> => {
    try {
      return await ask(part, summary);
    } catch (error) {
      if (!isWindowFull(error) || part.length < 2) throw error;
      // The turns do not fit the window. The summary of the first half takes its place before the second half.
      const half = Math.ceil(part.length / 2);
      return write(part.slice(half), await write(part.slice(0, half), summary));
    }
  };
  return write(turns, before);
}

function isWindowFull(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === WINDOW_FULL;
}
