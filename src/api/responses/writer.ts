import type { ErrorData } from '../../contract/errors.ts';
import type { ChoiceFinished, GenerationDone } from '../../contract/events.ts';
import { violationFields } from '../generation/violations.ts';
import { isMcpEvent, type ReplyEvent } from '../mcp/events.ts';
import { toTimings } from '../stream/usage.ts';
import type { NumberedEvent, ResponseEvent, ResponseHead, ResponseObject, ResponseUsage } from './objects.ts';
import { createOutput } from './output.ts';

/** Writes one response, whole and as events: both come from the same items. */
export interface ResponseWriter {
  /** The first events. */
  begin(): NumberedEvent[];
  write(event: ReplyEvent): NumberedEvent[];
  /** The last events of a response that failed midway. */
  fail(error: ErrorData): NumberedEvent[];
  /** Returns the response so far. */
  response(): ResponseObject;
}

type End = Omit<ResponseObject, keyof ResponseHead | 'output'>;

const UNDER_WAY: End = { status: 'in_progress', completed_at: null, error: null, incomplete_details: null };

/** `now` returns Unix time in ms. */
export function createResponseWriter(head: ResponseHead, now: () => number = Date.now): ResponseWriter {
  const output = createOutput();
  let end = UNDER_WAY;
  let incomplete: ResponseObject['incomplete_details'] = null;
  let violations: ReturnType<typeof violationFields> = {};
  let count = 0;

  const number = (events: ResponseEvent[]): NumberedEvent[] =>
    events.map((event) => ({ ...event, sequence_number: count++ }));
  const response = (): ResponseObject => ({ ...head, ...end, output: [...output.items()] });

  const write = (event: ReplyEvent): ResponseEvent[] => {
    if (isMcpEvent(event)) return output.mcp(event);
    switch (event.kind) {
      case 'text':
        return output.text(event.text, event.logprobs);
      case 'reasoning':
        return output.reasoning(event.text);
      case 'toolCall':
        return output.toolCall(event.name);
      case 'toolArguments':
        return output.toolArguments(event.text);
      case 'finish':
        incomplete = incompleteDetails(event);
        violations = violationFields(event);
        return output.end(incomplete ? 'incomplete' : 'completed');
      case 'done': {
        const status = incomplete ? 'incomplete' : 'completed';
        const completed_at = incomplete ? null : toSeconds(now());
        const counts = { usage: toUsage(event), timings: toTimings(event) };
        end = { ...UNDER_WAY, status, completed_at, incomplete_details: incomplete, ...counts, ...violations };
        return [{ type: `response.${status}`, response: response() }];
      }
      case 'progress':
      case 'pause':
        return [];
      case 'overflow':
        throw new Error('the overflow policy lets no such event through');
      default:
        return event satisfies never;
    }
  };

  return {
    begin: () => {
      const started = response();
      return number([
        { type: 'response.created', response: started },
        { type: 'response.in_progress', response: started },
      ]);
    },
    write: (event) => number(write(event)),
    fail({ code, message }) {
      end = { ...UNDER_WAY, status: 'failed', error: { code, message } };
      return number([{ type: 'response.failed', response: response() }]);
    },
    response,
  };
}

function incompleteDetails({ reason }: ChoiceFinished): ResponseObject['incomplete_details'] {
  if (reason === 'length') return { reason: 'max_output_tokens' };
  return reason === 'content_filter' ? { reason } : null;
}

/** Returns the usage. `cache_write_tokens` is 0: it is for billing, and nothing is billed here. */
function toUsage({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: GenerationDone): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
  };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
