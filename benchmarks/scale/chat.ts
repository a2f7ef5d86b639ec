import type { IncomingMessage } from 'node:http';
import { parseObject } from '../../src/utils/json.ts';
import { readEvents, readText, send } from '../../test/kit/http.ts';

/** A chat request of a client. */
export interface Ask {
  model: string;
  messages: { role: string; content: string }[];
  maxTokens: number;
  stream: boolean;
}

/** The reply to a chat, as its client saw it. */
export interface Seen {
  /**
   * `whole`: complete. `broken`: a stream without its last event. `refused`: an error. `no answer`: no response at all.
   */
  outcome: 'whole' | 'broken' | 'refused' | 'no answer';
  /** The status and code of an error, or the error of the connection. */
  detail: string;
  /** The replica's name in the proxy; empty if no replica answered. */
  replica: string;
  text: string;
  promptTokens: number;
  cachedTokens: number;
  /** Time to the first text, or to the whole reply if it is not streamed, in ms. */
  ttftMs: number;
  /** The times between two pieces of text, in ms. */
  gapsMs: number[];
  /** Time to the end, in ms. */
  ms: number;
}

interface Usage {
  prompt_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

interface Chunk {
  choices?: { delta: { content?: string } }[];
  usage?: Usage | null;
  error?: { code: string };
}

const NOTHING: Seen = {
  outcome: 'no answer',
  detail: '',
  replica: '',
  text: '',
  promptTokens: 0,
  cachedTokens: 0,
  ttftMs: 0,
  gapsMs: [],
  ms: 0,
};

/**
 * Sends a chat request and returns what came of it. Never rejects. `onText` gets the name of the replica at its first
 * text.
 */
export async function chat(
  url: string,
  { model, messages, maxTokens, stream }: Ask,
  onText: (replica: string) => void = () => {},
): Promise<Seen> {
  const begun = performance.now();
  const seen: Seen = { ...NOTHING, gapsMs: [] };
  let heardAt = begun;
  const options = stream ? { stream_options: { include_usage: true } } : {};
  const body = { model, messages, max_tokens: maxTokens, temperature: 0, stream, ...options };
  const hear = (text: string) => {
    if (text === '') return;
    const now = performance.now();
    if (seen.text === '') {
      seen.ttftMs = now - begun;
      onText(seen.replica);
    } else seen.gapsMs.push(now - heardAt);
    heardAt = now;
    seen.text += text;
  };
  try {
    const reply = await send(url, { path: '/v1/chat/completions', body });
    seen.replica = String(reply.headers['x-replica'] ?? '');
    seen.outcome = 'broken';
    if (reply.statusCode !== 200) await readRefusal(reply, seen);
    else await (stream ? readStream : readWhole)(reply, seen, hear);
  } catch (error) {
    seen.detail = (error as NodeJS.ErrnoException).code ?? String(error);
  }
  return { ...seen, ms: performance.now() - begun };
}

async function readRefusal(reply: IncomingMessage, seen: Seen): Promise<void> {
  const error = parseObject(await readText(reply))?.error as { code?: string } | undefined;
  seen.outcome = 'refused';
  seen.detail = `${reply.statusCode} ${error?.code ?? 'of the proxy'}`;
}

async function readWhole(reply: IncomingMessage, seen: Seen, hear: (text: string) => void): Promise<void> {
  const { choices, usage } = JSON.parse(await readText(reply));
  hear(choices[0].message.content);
  noteUsage(usage, seen);
  seen.outcome = 'whole';
}

async function readStream(reply: IncomingMessage, seen: Seen, hear: (text: string) => void): Promise<void> {
  for await (const data of readEvents(reply)) {
    if (data === '[DONE]') seen.outcome = 'whole';
    const { choices, usage, error } = (data === '[DONE]' ? {} : JSON.parse(data)) as Chunk;
    if (error) seen.detail = error.code;
    hear(choices?.[0]?.delta.content ?? '');
    if (usage) noteUsage(usage, seen);
  }
}

function noteUsage({ prompt_tokens, prompt_tokens_details }: Usage, seen: Seen): void {
  seen.promptTokens = prompt_tokens;
  seen.cachedTokens = prompt_tokens_details.cached_tokens;
}
