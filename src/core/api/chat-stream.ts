import { ApiError, errorBody, toErrorData } from '../errors.ts';
import type { ChoiceFinished, GenerationEvent, PromptProgress } from '../events.ts';
import { type ChunkEncoder, type CompletionHead, createChunkEncoder, toTimings, toUsage } from './completion.ts';
import type { Ping } from './pings.ts';
import { SSE_DONE, SSE_PING, sseEvent } from './sse.ts';

export interface ChatStreamOptions {
  /** A last chunk with `usage`, as OpenAI's `stream_options.include_usage`. */
  includeUsage: boolean;
  /** A chunk for every prefill step rather than one when the prompt is done. */
  returnProgress: boolean;
  /** Hears of errors that the client is not told the inside of. */
  onFailure: (error: unknown) => void;
}

type StreamEvent = GenerationEvent | Ping;

/**
 * The SSE text of one chat completion. A failure midway becomes an error event, and then there is no [DONE]:
 * the status has gone out long since, and a cut reply must not look whole.
 */
export async function* chatStream(
  first: IteratorResult<StreamEvent>,
  rest: AsyncGenerator<StreamEvent>,
  head: CompletionHead,
  options: ChatStreamOptions,
): AsyncGenerator<string> {
  const encode = createEventEncoder(createChunkEncoder(head), options);
  try {
    let done = false;
    for (let next = first; !next.done; next = await rest.next()) {
      const text = encode(next.value);
      if (text !== '') yield text;
      done = next.value.kind === 'done';
    }
    if (!done) throw new Error('the generation ended without its last event');
    yield SSE_DONE;
  } catch (error) {
    if (!(error instanceof ApiError)) options.onFailure(error);
    yield sseEvent(errorBody(toErrorData(error)));
  } finally {
    await rest.return(undefined);
  }
}

/** Turns events into SSE text, one at a time; an event that says nothing to the client gives ''. */
function createEventEncoder(chunks: ChunkEncoder, { includeUsage, returnProgress }: ChatStreamOptions) {
  let progress: PromptProgress = { kind: 'progress', cache: 0, processed: 0, total: 0, timeMs: 0 };
  let started = false;
  // Held back, since the final chunk also carries the timings.
  let finished: ChoiceFinished | undefined;

  /** The first chunk of the stream, before any other: the role, and how far the prompt is. */
  const start = () => {
    if (started) return '';
    started = true;
    return chunks.role(0, progress);
  };

  return (event: StreamEvent): string => {
    switch (event.kind) {
      case 'ping':
        return SSE_PING;
      case 'progress':
        progress = event;
        if (started) return returnProgress ? chunks.progress(0, event) : '';
        return returnProgress || event.processed >= event.total ? start() : '';
      case 'text':
        return start() + chunks.text(event.choice, event.text);
      case 'finish':
        finished = event;
        return start();
      case 'done': {
        const finish = finished ? chunks.finish(finished.choice, finished.reason, toTimings(event)) : '';
        return finish + (includeUsage ? chunks.usage(toUsage(event)) : '');
      }
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };
}
