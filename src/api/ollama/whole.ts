import type { GenerationDone } from '../../contract/events.ts';
import type { Reply } from '../generation/collect.ts';
import { violationFields } from '../generation/violations.ts';
import { type ReplyPart, toCall, toDoneReason } from './reply.ts';
import { type Timer, toFigures } from './timer.ts';

/** A whole reply, as the one part that it is then. */
export function toReplyPart({ content, reasoning, toolCalls, logprobs }: Reply): ReplyPart {
  const calls = toolCalls.map((call, index) => toCall(call.name, call.arguments, index));
  return {
    content: content + calls.map((call) => call.content ?? '').join(''),
    thinking: reasoning,
    toolCalls: calls.flatMap((call) => call.toolCalls ?? []),
    logprobs,
  };
}

/** The fields that tell of the end. */
export function toEnd({ finish }: Reply, done: GenerationDone, timer: Timer) {
  return {
    done: true as const,
    done_reason: toDoneReason(finish.reason),
    ...violationFields(finish),
    ...toFigures(done, timer),
  };
}
