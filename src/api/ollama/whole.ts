import type { GenerationDone } from '../../contract/events.ts';
import type { CollectedReply } from '../generation/collect.ts';
import { violationFields } from '../generation/violations.ts';
import { type ReplyPart, toCall, toDoneReason } from './reply.ts';
import { type Timer, toFigures } from './timer.ts';

/** Returns a whole reply as one part. */
export function toReplyPart({ content, reasoning, toolCalls, logprobs }: CollectedReply): ReplyPart {
  const calls = toolCalls.map((call, index) => toCall(call.name, call.arguments, index));
  return {
    content: content + calls.map((call) => call.content ?? '').join(''),
    thinking: reasoning,
    toolCalls: calls.flatMap((call) => call.toolCalls ?? []),
    logprobs,
  };
}

/** Returns the last fields of a whole reply. */
export function toEnd({ finish }: CollectedReply, done: GenerationDone, timer: Timer) {
  return {
    done: true as const,
    done_reason: toDoneReason(finish.reason),
    ...violationFields(finish),
    ...toFigures(done, timer),
  };
}
