import type { ChatRequestBody, ServerClient } from '../client/client.ts';
import type { ReplyMeasurements } from '../client/reply.ts';
import { type Answered, median, reply } from './measure.ts';

/** The measured next turns of several conversations, whose prompts may be cached in part. Numbers are medians. */
export interface NextTurn {
  promptTokens: number;
  /** From the server's `timings`; null if it does not report them. */
  cachedTokens: number | null;
  firstTokenMs: number | null;
  /**
   * The number of cache misses by reason: prompts that the cache could have served better. Only Paddock reports them.
   */
  misses: Record<string, number>;
}

/** Asks for the next turn of each conversation, all at once. Throws the server's error. */
export async function takeNextTurns(client: ServerClient, answered: Answered[]): Promise<ReplyMeasurements[]> {
  const replies = await Promise.all(answered.map((one) => reply(client, nextTurnOf(one))));
  return replies.map(({ stats }) => stats);
}

/** Returns the medians of the turns, and counts their cache misses. */
export function summarizeNextTurns(turns: ReplyMeasurements[]): NextTurn {
  const misses: Record<string, number> = {};
  for (const { timings } of turns) {
    const why = timings?.cache?.miss?.why;
    if (why !== undefined) misses[why] = (misses[why] ?? 0) + 1;
  }
  return {
    promptTokens: median(turns.map(({ promptTokens }) => promptTokens)) ?? 0,
    cachedTokens: median(turns.flatMap(({ timings }) => timings?.cache_n ?? [])),
    firstTokenMs: median(turns.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
    misses,
  };
}

/** Makes the request of the next turn. Its reply has one token, because only the prompt is measured. */
function nextTurnOf({ body: { cache_prompt: _, ...first }, text }: Answered): ChatRequestBody {
  const more: ChatRequestBody['messages'] = [
    { role: 'assistant', content: text },
    { role: 'user', content: 'And then?' },
  ];
  return { ...first, messages: [...first.messages, ...more], max_tokens: 1, context_overflow: 'length' };
}
