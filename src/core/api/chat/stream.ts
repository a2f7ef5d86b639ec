import type { ChoiceFinished, PromptProgress } from '../../events.ts';
import type { StreamEvent } from '../stream/event-stream.ts';
import { SSE_PING } from '../stream/sse.ts';
import { type CompletionHead, createChunkEncoder, type Timings, toTimings, toUsage } from './objects.ts';

export interface ChatStreamOptions {
  /** A last chunk with `usage`, as OpenAI's `stream_options.include_usage`. */
  includeUsage: boolean;
  /** A chunk for every prefill step rather than one when the prompt is done. */
  returnProgress: boolean;
}

/** Turns events into SSE text, one at a time; an event that says nothing to the client gives ''. */
export function createChatEncoder(
  head: CompletionHead,
  { includeUsage, returnProgress }: ChatStreamOptions,
): (event: StreamEvent) => string {
  const chunks = createChunkEncoder(head);
  let progress: PromptProgress = { kind: 'progress', cache: 0, processed: 0, total: 0, timeMs: 0 };
  const started = new Set<number>();
  // The last is held back, since the final chunk also carries the timings.
  let finished: ChoiceFinished | undefined;

  /** The first chunk of a choice, before any other: the role and, in the stream's very first, how far the prompt is. */
  const start = (choice: number): string => {
    if (started.has(choice)) return '';
    started.add(choice);
    return chunks.role(choice, started.size === 1 ? progress : undefined);
  };
  const finish = (timings?: Timings): string => {
    const text = finished ? chunks.finish(finished.choice, finished.reason, timings) : '';
    finished = undefined;
    return text;
  };

  return (event: StreamEvent): string => {
    switch (event.kind) {
      case 'ping':
        return SSE_PING;
      case 'progress':
        progress = event;
        if (started.size > 0) return returnProgress ? chunks.progress(0, event) : '';
        return returnProgress || event.processed >= event.total ? start(0) : '';
      case 'text':
        return start(event.choice) + chunks.text(event.choice, event.text, event.logprobs);
      case 'reasoning':
        return start(event.choice) + chunks.reasoning(event.choice, event.text);
      case 'toolCall':
        return start(event.choice) + chunks.toolCall(event.choice, event.index, event.name);
      case 'toolArguments':
        return chunks.toolArguments(event.choice, event.index, event.text);
      case 'finish': {
        const text = start(event.choice) + finish();
        finished = event;
        return text;
      }
      case 'done':
        return finish(toTimings(event)) + (includeUsage ? chunks.usage(toUsage(event)) : '');
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };
}
