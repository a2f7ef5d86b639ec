import type { ChoiceFinished, GenerationDone, TextDelta } from '../../contract/events.ts';
import { violationFields } from '../generation/violations.ts';
import type { GenerationStreamEvent } from '../stream/event-stream.ts';
import { SSE_PING, sseComment, sseEvent } from '../stream/sse.ts';
import { type CompletionHead, toTimings, toUsage, type Usage } from '../stream/usage.ts';
import { createTextLogprobs, type TextLogprobs } from './logprobs.ts';
import type { TextChoice } from './whole.ts';

export interface CompletionStreamOptions {
  /** Adds a last chunk with `usage`, as OpenAI's `stream_options.include_usage` does. */
  includeUsage: boolean;
  /** Sends a chunk for every prefill step. */
  returnProgress: boolean;
}

/**
 * Turns the events of a plain completion into SSE text, one at a time. An event that has nothing for the client becomes
 * ''.
 */
export function createCompletionEncoder(
  head: CompletionHead,
  choices: TextChoice[],
  { includeUsage, returnProgress }: CompletionStreamOptions,
): (event: GenerationStreamEvent) => string {
  const chunks = createChunks(head);
  const writers = choices.map(({ logprobs }) => (logprobs ? createTextLogprobs() : undefined));
  let running = choices.length;
  let last: ChoiceFinished | undefined;

  const encode = (event: Exclude<GenerationStreamEvent, { kind: 'ping' | 'progress' | 'pause' }>): string => {
    switch (event.kind) {
      case 'text':
        return chunks.text(event.choice, event.text, writeLogprobs(event));
      case 'finish':
        running -= 1;
        if (running > 0) return chunks.finish(event, {});
        // Held back, because the last choice's chunk also carries the timings.
        last = event;
        return '';
      case 'done':
        return finishAll(event);
      default:
        throw new Error(`a plain completion has no ${event.kind}`);
    }
  };
  const writeLogprobs = ({ choice, logprobs }: TextDelta) => writers[choice]?.(logprobs ?? []) ?? null;
  const finishAll = (done: GenerationDone): string =>
    (last ? chunks.finish(last, { timings: toTimings(done) }) : '') + (includeUsage ? chunks.usage(toUsage(done)) : '');

  return (event) => {
    if (event.kind === 'ping') return SSE_PING;
    if (event.kind === 'pause') return sseComment(event.reason);
    if (event.kind === 'progress') {
      const { cache, processed, total, timeMs } = event;
      const prompt_progress = { cache, processed, total, time_ms: timeMs };
      return returnProgress ? chunks.progress({ prompt_progress }) : '';
    }
    return encode(event);
  };
}

/** Makes the SSE events of one stream. */
function createChunks(head: CompletionHead) {
  const base = { ...head, object: 'text_completion' };
  // This is the hot path. Text chunks differ only in their choice, so the rest is encoded once.
  const prefix = `data: ${JSON.stringify(base).slice(0, -1)},"choices":[`;
  return {
    text: (index: number, text: string, logprobs: TextLogprobs | null = null): string =>
      `${prefix}${JSON.stringify({ index, text, logprobs, finish_reason: null })}]}\n\n`,
    finish: (event: ChoiceFinished, more: object): string => {
      const choice = { index: event.choice, text: '', logprobs: null, finish_reason: event.reason };
      return sseEvent({ ...base, choices: [{ ...choice, ...violationFields(event) }], ...more });
    },
    progress: (more: object): string =>
      sseEvent({ ...base, choices: [{ index: 0, text: '', logprobs: null, finish_reason: null }], ...more }),
    usage: (usage: Usage): string => sseEvent({ ...base, choices: [], usage }),
  };
}
