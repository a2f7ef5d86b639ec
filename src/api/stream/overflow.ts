import { contextLengthExceeded } from '../../contract/errors.ts';
import type { GenerationEvent } from '../../contract/events.ts';

/**
 * Replaces the `overflow` event of a prompt that does not fit the context window. With `length`, every choice becomes
 * an empty reply with the finish reason `length`, and the token count of the prompt is the true one. With `error`,
 * throws a 400 `ApiError` with the token counts of prompt and context window. `param` is the field that has the prompt.
 * The prompt is never shortened. `note` is called with each event as it comes.
 */
export async function* applyOverflowPolicy(
  events: AsyncIterable<GenerationEvent>,
  policy: 'length' | 'error',
  { param = 'messages', choices = 1 }: { param?: string; choices?: number } = {},
  note: (event: GenerationEvent) => void = () => {},
): AsyncGenerator<GenerationEvent> {
  for await (const event of events) {
    note(event);
    if (event.kind !== 'overflow') {
      yield event;
      continue;
    }
    const { promptTokens, contextLength } = event;
    if (policy === 'error') throw contextLengthExceeded(promptTokens, contextLength, param);
    yield { kind: 'progress', cache: 0, processed: 0, total: promptTokens, timeMs: 0 };
    for (let choice = 0; choice < choices; choice++) yield { kind: 'finish', choice, reason: 'length' };
    yield { kind: 'done', promptTokens, cachedTokens: 0, completionTokens: 0, promptMs: 0, predictedMs: 0 };
  }
}
