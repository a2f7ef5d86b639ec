import type { FinishReason, GenerationDone } from '../../contract/events.ts';
import type { CollectedReply } from '../generation/collect.ts';
import { inputOf } from '../generation/custom-tool.ts';
import { type Logprobs, toLogprobs } from '../generation/logprobs.ts';
import { type SchemaViolation, violationFields } from '../generation/violations.ts';
import { type CompletionHead, toTimings, toUsage } from '../stream/usage.ts';
import type { ExecutedTool } from './executed-tools.ts';
import { olderReason } from './older-functions.ts';
import { type CustomCallObject, newToolCallId, type ToolCallObject } from './tool-call.ts';

/** One choice of a reply that does not stream. */
export interface ChoiceObject {
  index: number;
  message: {
    role: 'assistant';
    /** Null if the reply consists of tool calls. */
    content: string | null;
    reasoning_content?: string;
    /** What this server has done with MCP servers. */
    executed_tools?: ExecutedTool[];
    tool_calls?: (ToolCallObject | CustomCallObject)[];
    /** The call, in place of `tool_calls`, if the request has OpenAI's older spelling. */
    function_call?: ToolCallObject['function'];
  };
  logprobs: Logprobs | null;
  finish_reason: FinishReason | 'function_call';
  /** The schema violations of the reply; absent if there are none. */
  schema_violations?: SchemaViolation[];
}

/**
 * Builds the reply to a request that does not stream. `custom` has the names of the tools that take a free text. If `older` is true, a
 * call is written in OpenAI's older spelling.
 */
export function toCompletion(
  head: CompletionHead,
  replies: CollectedReply[],
  done: GenerationDone,
  custom: ReadonlySet<string> = new Set(),
  older = false,
) {
  const choices = replies.map((reply, index) => toChoice(reply, index, custom, older));
  return { ...head, object: 'chat.completion', choices, usage: toUsage(done), timings: toTimings(done) };
}

/** Adds what was done with MCP servers to the only message of a completion, if there is anything. */
export function withExecuted(
  completion: ReturnType<typeof toCompletion>,
  executed: ExecutedTool[],
): ReturnType<typeof toCompletion> {
  if (executed.length === 0) return completion;
  const choices = completion.choices.map((choice) => ({
    ...choice,
    message: { ...choice.message, executed_tools: executed },
  }));
  return { ...completion, choices };
}

function toChoice(
  { content, reasoning, toolCalls, logprobs, finish }: CollectedReply,
  index: number,
  custom: ReadonlySet<string>,
  older: boolean,
): ChoiceObject {
  const [first] = toolCalls;
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && toolCalls.length > 0 ? null : content,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(first &&
        (older ? { function_call: first } : { tool_calls: toolCalls.map((call) => toToolCall(call, custom)) })),
    },
    logprobs: logprobs.length > 0 ? toLogprobs(logprobs) : null,
    finish_reason: older ? olderReason(finish.reason) : finish.reason,
    ...violationFields(finish),
  };
}

function toToolCall(
  call: CollectedReply['toolCalls'][number],
  custom: ReadonlySet<string>,
): ToolCallObject | CustomCallObject {
  const { name, arguments: json } = call;
  if (custom.has(name)) return { id: newToolCallId(), type: 'custom', custom: { name, input: inputOf(json) } };
  return { id: newToolCallId(), type: 'function', function: call };
}
