import type { ChatBody, Client } from '../client/client.ts';
import type { ReplyStats } from '../client/reply.ts';
import { type Answered, median, reply } from './measure.ts';

/** What came of the next turn of each conversation. What was said so far may still be cached. */
export interface NextTurn {
  promptTokens: number;
  /** From the server's `timings`; null if it does not tell. */
  cachedTokens: number | null;
  firstTokenMs: number | null;
  /** How many prompts could have had more from the cache, by why they had not. Only Paddock tells. */
  misses: Record<string, number>;
}

/** Asks for the next turn of each conversation, all at once. Throws the server's error. */
export async function takeNextTurns(client: Client, answered: Answered[]): Promise<ReplyStats[]> {
  const replies = await Promise.all(answered.map((one) => reply(client, nextTurnOf(one))));
  return replies.map(({ stats }) => stats);
}

export function summarizeNextTurns(turns: ReplyStats[]): NextTurn {
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

/** Only the prompt of the next turn is of interest. */
function nextTurnOf({ body: { cache_prompt: _, ...first }, text }: Answered): ChatBody {
  const more: ChatBody['messages'] = [
    { role: 'assistant', content: text },
    { role: 'user', content: 'And then?' },
  ];
  return { ...first, messages: [...first.messages, ...more], max_tokens: 1, context_overflow: 'length' };
}
