import type { ChoiceFinished } from '../../contract/events.ts';
import { violationFields } from '../generation/violations.ts';
import type { GenerationStreamEvent } from '../stream/event-stream.ts';
import { jsonLine } from './ndjson.ts';
import { NOTHING, type ReplyPart, replyHead, type ToFields, toCall, toDoneReason } from './reply.ts';
import { type Timer, toFigures } from './timer.ts';

/**
 * Turns events into lines of JSON, one at a time. An event that has nothing for the client becomes ''. A call is one
 * line, once it is complete. A ping is a line with an empty text: NDJSON has no comments, and clients fail on an empty
 * line.
 *
 * @param last additional fields of the last line
 */
export function createReplyEncoder(
  name: string,
  toFields: ToFields,
  timer: Timer,
  last: object = {},
): (event: GenerationStreamEvent) => string {
  let call: { index: number; name: string; json: string } | null = null;
  let end: Pick<ChoiceFinished, 'reason' | 'violations'> = { reason: 'stop' };

  const line = (part: Partial<ReplyPart>, more: object = {}): string =>
    jsonLine({ ...replyHead(name), ...toFields({ ...NOTHING, ...part }), done: false, ...more });
  const endCall = (): string => {
    if (!call) return '';
    const text = line(toCall(call.name, call.json, call.index));
    call = null;
    return text;
  };

  return (event) => {
    switch (event.kind) {
      case 'ping':
      case 'pause':
        return line({});
      case 'progress':
        return '';
      case 'text':
        return endCall() + line({ content: event.text, logprobs: event.logprobs ?? [] });
      case 'reasoning':
        return endCall() + line({ thinking: event.text });
      case 'toolCall': {
        const text = endCall();
        call = { index: event.index, name: event.name, json: '' };
        return text;
      }
      case 'toolArguments':
        if (call) call.json += event.text;
        return '';
      case 'finish':
        end = event;
        return endCall();
      case 'done':
        return line(
          {},
          {
            done: true,
            done_reason: toDoneReason(end.reason),
            ...violationFields(end),
            ...last,
            ...toFigures(event, timer),
          },
        );
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };
}
