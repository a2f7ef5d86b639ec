import { sseData } from '../../src/api/stream/sse-data.ts';
import type { Ask } from './workloads.ts';

/** An OpenAI endpoint: its URL up to and including `/v1`, and the name of the model. */
export interface Target {
  base: string;
  model: string;
}

/** One measured reply. Times are in ms since the request was sent. */
export interface Reply {
  text: string;
  /** Time to the first content, reasoning or call. */
  firstMs: number;
  /** Times between two chunks with content. A chunk may have several tokens. */
  gapsMs: number[];
  /** The tokens that the server reports, or the number of chunks if it reports none. */
  tokens: number;
  promptTokens: number | null;
}

/** The content of a message: a text, or parts with images. */
export type Content = string | object[];

interface Message {
  role: string;
  content: Content;
}

interface Chunk {
  choices?: { delta?: { content?: string | null; reasoning_content?: string; tool_calls?: unknown[] } }[];
  usage?: { completion_tokens?: number; prompt_tokens?: number } | null;
  error?: unknown;
}

/**
 * Sends all turns of a request but the last. Each reply becomes a part of the history. Returns the messages before the
 * last turn.
 */
export async function playHistory(target: Target, ask: Ask): Promise<Message[]> {
  const messages: Message[] = ask.system === undefined ? [] : [{ role: 'system', content: ask.system }];
  for (const content of ask.turns.slice(0, -1)) {
    messages.push({ role: 'user', content });
    const { text } = await sendMessages(target, ask, messages);
    messages.push({ role: 'assistant', content: text });
  }
  return messages;
}

/** Sends the last turn. */
export function sendLastTurn(target: Target, ask: Ask, history: Message[]): Promise<Reply> {
  return sendMessages(target, ask, [...history, { role: 'user', content: ask.turns.at(-1) ?? '' }]);
}

/** Sends a conversation and reads the stream of its reply. Throws for an error, with its text. */
export async function sendMessages(
  { base, model }: Target,
  { maxTokens, fields }: Pick<Ask, 'maxTokens' | 'fields'>,
  messages: Message[],
): Promise<Reply> {
  const startedAt = performance.now();
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    // A server may close an idle connection while other endpoints are measured, and the next request on it would fail.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      model,
      messages,
      max_tokens: maxTokens,
      repeat_penalty: 1,
      stream: true,
      stream_options: { include_usage: true },
      ...fields,
    }),
  }).catch((error: Error) => {
    throw new Error(`${base}: ${error.message}: ${String(error.cause)}`);
  });
  if (!response.ok || !response.body) throw new Error(`${base}: ${response.status} ${await response.text()}`);
  const times: number[] = [];
  let text = '';
  let usage: Chunk['usage'];
  for await (const data of sseData(response.body)) {
    if (data === '[DONE]') continue;
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error) throw new Error(`${base}: ${data}`);
    usage = chunk.usage ?? usage;
    const delta = chunk.choices?.[0]?.delta;
    if (!delta?.content && !delta?.reasoning_content && !delta?.tool_calls) continue;
    times.push(performance.now() - startedAt);
    text += delta.content ?? '';
  }
  return {
    text,
    firstMs: times[0] ?? performance.now() - startedAt,
    gapsMs: times.slice(1).map((time, index) => time - (times[index] ?? time)),
    tokens: usage?.completion_tokens ?? times.length,
    promptTokens: usage?.prompt_tokens ?? null,
  };
}
