import type {
  ChoiceFinished,
  FinishReason,
  PromptProgress,
  TokenLogprob,
  ToolArgumentsDelta,
  ToolCallStart,
} from '../../contract/events.ts';
import { createInputReader } from '../generation/custom-tool.ts';
import { toLogprobs } from '../generation/logprobs.ts';
import { violationFields } from '../generation/violations.ts';
import { isMcpEvent, type McpEvent } from '../mcp/events.ts';
import type { GenerationStreamEvent } from '../stream/event-stream.ts';
import { SSE_PING, sseComment, sseEvent } from '../stream/sse.ts';
import { type CompletionHead, type Timings, toTimings, toUsage, type Usage } from '../stream/usage.ts';
import { createExecutedTools, type ExecutedTool } from './executed-tools.ts';
import { olderReason } from './older-functions.ts';
import { newToolCallId } from './tool-call.ts';

export interface ChatStreamOptions {
  /** Adds a last chunk with `usage`, as OpenAI's `stream_options.include_usage` does. */
  includeUsage: boolean;
  /** Sends a chunk for every prefill step instead of one when the prompt is evaluated. */
  returnProgress: boolean;
  /** The names of the tools that take a free text. */
  custom?: ReadonlySet<string>;
  /** Writes the call in OpenAI's older spelling, as `function_call`. */
  older?: boolean;
}

/** Turns events into SSE text, one at a time. An event that has nothing for the client becomes ''. */
export function createChatEncoder(
  head: CompletionHead,
  { includeUsage, returnProgress, custom = new Set(), older = false }: ChatStreamOptions,
): (event: GenerationStreamEvent | McpEvent) => string {
  const chunks = createChunkEncoder(head, older);
  const calls = createCallEncoder(chunks, custom);
  const readExecuted = createExecutedTools();
  let progress: PromptProgress = { kind: 'progress', cache: 0, processed: 0, total: 0, timeMs: 0 };
  const started = new Set<number>();
  /** What was told of MCP servers before the first chunk, which has the role. */
  let beforeStart = '';
  // The latest `finish` is held back, because the last one goes out with the timings.
  let finished: ChoiceFinished | undefined;

  /** Writes the first chunk of a choice: the role and, in the first chunk of the stream, the prompt's progress. */
  const start = (choice: number): string => {
    if (started.has(choice)) return '';
    started.add(choice);
    return started.size === 1 ? chunks.role(choice, progress) + beforeStart : chunks.role(choice);
  };
  const finish = (timings?: Timings): string => {
    const text = finished ? chunks.finish(finished, timings) : '';
    finished = undefined;
    return text;
  };

  const execute = (event: McpEvent): string => {
    const executed = readExecuted(event);
    const text = executed ? chunks.executed(0, executed) : '';
    if (started.size > 0) return text;
    beforeStart += text;
    return '';
  };

  return (event: GenerationStreamEvent | McpEvent): string => {
    if (isMcpEvent(event)) return execute(event);
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
        return start(event.choice) + calls.begin(event);
      case 'toolArguments':
        return calls.goOn(event);
      case 'finish': {
        const text = start(event.choice) + finish();
        finished = event;
        return text;
      }
      case 'done':
        return finish(toTimings(event)) + (includeUsage ? chunks.usage(toUsage(event)) : '');
      case 'pause':
        return sseComment(event.reason);
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };
}

/** Writes tool calls. For a custom tool, the text is read out of the arguments as they come. */
function createCallEncoder(chunks: ReturnType<typeof createChunkEncoder>, custom: ReadonlySet<string>) {
  /** The readers of custom calls, by choice and call. */
  const readers = new Map<string, (piece: string) => string>();
  return {
    begin({ choice, index, name }: ToolCallStart): string {
      if (!custom.has(name)) return chunks.toolCall(choice, index, name);
      readers.set(`${choice} ${index}`, createInputReader());
      return chunks.customCall(choice, index, name);
    },
    goOn({ choice, index, text }: ToolArgumentsDelta): string {
      const read = readers.get(`${choice} ${index}`);
      return read ? chunks.customInput(choice, index, read(text)) : chunks.toolArguments(choice, index, text);
    },
  };
}

/** Makes the SSE events of one stream. */
export function createChunkEncoder(head: CompletionHead, older = false) {
  const base = { ...head, object: 'chat.completion.chunk' };
  // This is the hot path. Text chunks differ only in index and text, so the rest is encoded once.
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
    executed: (index: number, executed: ExecutedTool): string => chunk(index, { executed_tools: [executed] }, null),
    toolCall: (index: number, call: number, name: string): string =>
      older
        ? chunk(index, { function_call: { name, arguments: '' } }, null)
        : toolCall(index, { index: call, id: newToolCallId(), type: 'function', function: { name, arguments: '' } }),
    customCall: (index: number, call: number, name: string): string =>
      toolCall(index, { index: call, id: newToolCallId(), type: 'custom', custom: { name, input: '' } }),
    customInput: (index: number, call: number, input: string): string =>
      input === '' ? '' : toolCall(index, { index: call, custom: { input } }),
    toolArguments: (index: number, call: number, text: string): string =>
      older
        ? chunk(index, { function_call: { arguments: text } }, null)
        : toolCall(index, { index: call, function: { arguments: text } }),
    finish: (finished: ChoiceFinished, timings?: Timings): string => {
      const { choice: index, reason } = finished;
      const finish_reason = older ? olderReason(reason) : reason;
      const choices = [{ index, delta: {}, logprobs: null, finish_reason, ...violationFields(finished) }];
      return sseEvent({ ...base, choices, ...(timings && { timings }) });
    },
    usage: (usage: Usage): string => sseEvent({ ...base, choices: [], usage }),
  };
}

function toProgress({ cache, processed, total, timeMs }: PromptProgress) {
  return { cache, processed, total, time_ms: timeMs };
}
