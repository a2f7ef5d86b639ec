import type { ChoiceFinished, FinishReason, PromptProgress, TokenLogprob } from '../../events.ts';
import type { GenerationStreamEvent } from '../stream/event-stream.ts';
import { SSE_PING, sseEvent } from '../stream/sse.ts';
import { type CompletionHead, type Timings, toTimings, toUsage, type Usage } from '../stream/usage.ts';
import { toLogprobs } from './logprobs.ts';
import { newToolCallId } from './tool-call.ts';

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
): (event: GenerationStreamEvent) => string {
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

  return (event: GenerationStreamEvent): string => {
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

/** Makes the SSE events of one stream. */
export function createChunkEncoder(head: CompletionHead) {
  const base = { ...head, object: 'chat.completion.chunk' };
  // The hot path: of a text chunk only the index and the text differ, so the rest is encoded once.
  const prefix = `data: ${JSON.stringify(base).slice(0, -1)},"choices":[{"index":`;
  const chunk = (index: number, delta: object, finish_reason: FinishReason | null, more: object = {}) =>
    sseEvent({ ...base, choices: [{ index, delta, logprobs: null, finish_reason }], ...more });
  const toolCall = (index: number, call: object) => chunk(index, { tool_calls: [call] }, null);

  return {
    role: (index: number, progress?: PromptProgress): string =>
      chunk(index, { role: 'assistant', content: '' }, null, progress && { prompt_progress: toProgress(progress) }),
    progress: (index: number, progress: PromptProgress): string =>
      chunk(index, {}, null, { prompt_progress: toProgress(progress) }),
    text: (index: number, text: string, logprobs?: TokenLogprob[]): string =>
      `${prefix}${index},"delta":{"content":${JSON.stringify(text)}},"logprobs":${
        logprobs ? JSON.stringify(toLogprobs(logprobs)) : 'null'
      },"finish_reason":null}]}\n\n`,
    reasoning: (index: number, text: string): string => chunk(index, { reasoning_content: text }, null),
    toolCall: (index: number, call: number, name: string): string =>
      toolCall(index, { index: call, id: newToolCallId(), type: 'function', function: { name, arguments: '' } }),
    toolArguments: (index: number, call: number, text: string): string =>
      toolCall(index, { index: call, function: { arguments: text } }),
    finish: (index: number, reason: FinishReason, timings?: Timings): string =>
      chunk(index, {}, reason, timings && { timings }),
    usage: (usage: Usage): string => sseEvent({ ...base, choices: [], usage }),
  };
}

function toProgress({ cache, processed, total, timeMs }: PromptProgress) {
  return { cache, processed, total, time_ms: timeMs };
}
