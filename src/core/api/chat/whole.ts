import type { FinishReason, GenerationDone, GenerationEvent, ReplyViolation, TokenLogprob } from '../../events.ts';
import { type CompletionHead, toTimings, toUsage } from '../stream/usage.ts';
import { type Logprobs, toLogprobs } from './logprobs.ts';
import { newToolCallId, type ToolCallObject } from './tool-call.ts';
import { type SchemaViolation, toViolations } from './violation.ts';

/** One choice of a reply that does not stream. */
export interface ChoiceObject {
  index: number;
  message: {
    role: 'assistant';
    /** Null if the reply consists of tool calls. */
    content: string | null;
    reasoning_content?: string;
    tool_calls?: ToolCallObject[];
  };
  logprobs: Logprobs | null;
  finish_reason: FinishReason;
  /** What the reply breaks of its schemas; absent if nothing. */
  schema_violations?: SchemaViolation[];
}

/** Builds the reply to a request that does not stream. */
export function toCompletion(head: CompletionHead, choices: ChoiceObject[], done: GenerationDone) {
  return { ...head, object: 'chat.completion', choices, usage: toUsage(done), timings: toTimings(done) };
}

interface Gathered {
  content: string;
  reasoning: string;
  toolCalls: ToolCallObject[];
  logprobs: TokenLogprob[];
  reason: ChoiceObject['finish_reason'];
  violations?: ReplyViolation[];
}

/** Collects the events of a generation into whole choices. Throws if the generation ends without its `done` event. */
export async function collectChoices(
  events: AsyncIterable<GenerationEvent>,
): Promise<{ choices: ChoiceObject[]; done: GenerationDone }> {
  const choices: Gathered[] = [];
  let done: GenerationDone | undefined;
  for await (const event of events) {
    if (event.kind === 'done') done = event;
    else if ('choice' in event) {
      choices[event.choice] ??= { content: '', reasoning: '', toolCalls: [], logprobs: [], reason: 'stop' };
      gather(choices[event.choice] as Gathered, event);
    }
  }
  if (!done) throw new Error('the generation ended without its last event');
  return { choices: choices.map(toChoice), done };
}

function gather(choice: Gathered, event: Extract<GenerationEvent, { choice: number }>): void {
  switch (event.kind) {
    case 'text':
      choice.content += event.text;
      choice.logprobs.push(...(event.logprobs ?? []));
      return;
    case 'reasoning':
      choice.reasoning += event.text;
      return;
    case 'toolCall':
      choice.toolCalls[event.index] = {
        id: newToolCallId(),
        type: 'function',
        function: { name: event.name, arguments: '' },
      };
      return;
    case 'toolArguments': {
      const call = choice.toolCalls[event.index];
      if (call) call.function.arguments += event.text;
      return;
    }
    case 'finish':
      choice.reason = event.reason;
      if (event.violations) choice.violations = event.violations;
      return;
    default:
      event satisfies never;
  }
}

function toChoice(
  { content, reasoning, toolCalls, logprobs, reason, violations }: Gathered,
  index: number,
): ChoiceObject {
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && toolCalls.length > 0 ? null : content,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    logprobs: logprobs.length > 0 ? toLogprobs(logprobs) : null,
    finish_reason: reason,
    ...(violations && { schema_violations: toViolations(violations) }),
  };
}
