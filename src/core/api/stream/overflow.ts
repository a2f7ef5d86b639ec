import { invalidRequest } from '../../errors.ts';
import type { GenerationEvent } from '../../events.ts';

/**
 * What becomes of a prompt that does not fit the context window: `length` turns it into an empty reply with that
 * finish reason for every choice and the true token count, `error` throws a 400 `ApiError` with both counts.
 * `param` is the field that holds the prompt. Nothing is ever cut.
 */
export async function* applyOverflowPolicy(
  events: AsyncIterable<GenerationEvent>,
  policy: 'length' | 'error',
  { param = 'messages', choices = 1 }: { param?: string; choices?: number } = {},
): AsyncGenerator<GenerationEvent> {
  for await (const event of events) {
    if (event.kind !== 'overflow') {
      yield event;
      continue;
    }
    const { promptTokens, contextLength } = event;
    if (policy === 'error') {
      throw invalidRequest(
        `The prompt has ${promptTokens} tokens, but the context window of the model holds ${contextLength} tokens and a reply needs at least 1 of them.`,
        param,
        'context_length_exceeded',
      );
    }
    yield { kind: 'progress', cache: 0, processed: 0, total: promptTokens, timeMs: 0 };
    for (let choice = 0; choice < choices; choice++) yield { kind: 'finish', choice, reason: 'length' };
    yield { kind: 'done', promptTokens, cachedTokens: 0, completionTokens: 0, promptMs: 0, predictedMs: 0 };
  }
}
