import { isObject } from '../../utils/json.ts';
import { toTimings } from '../stream/usage.ts';
import type { Filling, FillingEvent } from './fill.ts';

/** Why the filling ended, in llama-server's words. */
const STOP_TYPES = {
  stop: 'eos',
  length: 'limit',
  tool_calls: 'limit',
  content_filter: 'limit',
  limit: 'limit',
} as const;

/**
 * Writes a filling as llama-server does.
 *
 * @param truncated true if the gap was shortened to fit the context window
 * @param silent true if the prompt was only read for the next request
 * @param streamed true if the text has been sent in pieces
 */
export function toInfillReply(
  model: string,
  { text, reason, stopSequence, done }: Filling,
  { truncated, silent, streamed = false }: { truncated: boolean; silent: boolean; streamed?: boolean },
) {
  const { cache: _, ...timings } = toTimings(done);
  const perToken = (ms: number, tokens: number) => (tokens > 0 ? ms / tokens : 0);
  const completionTokens = silent ? 0 : done.completionTokens;
  return {
    index: 0,
    content: silent || streamed ? '' : text,
    stop: true,
    model,
    tokens_predicted: completionTokens,
    tokens_evaluated: done.promptTokens,
    has_new_line: !silent && text.includes('\n'),
    truncated,
    stop_type: stopSequence === undefined ? STOP_TYPES[reason] : 'word',
    stopping_word: stopSequence ?? '',
    tokens_cached: done.promptTokens + completionTokens,
    timings: {
      ...timings,
      prompt_per_token_ms: perToken(timings.prompt_ms, timings.prompt_n),
      predicted_per_token_ms: perToken(timings.predicted_ms, timings.predicted_n),
    },
  };
}

/** Writes a piece of a filling as llama-server streams it. */
export function toInfillChunk({ text, tokens, promptTokens }: Extract<FillingEvent, { kind: 'text' }>) {
  return { index: 0, content: text, stop: false, tokens_predicted: tokens, tokens_evaluated: promptTokens };
}

/**
 * Returns the wanted fields of a reply, as llama-server's `response_fields`: `timings/prompt_n` is a field of that name, with the value
 * of `prompt_n` in `timings`. Unknown fields are left out.
 */
export function pickFields(reply: object, names: string[]): Record<string, unknown> {
  const picked = names.flatMap((name): [string, unknown][] => {
    let value: unknown = reply;
    for (const key of name.split('/')) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(picked);
}
