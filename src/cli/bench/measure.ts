import { plain } from '../../serve/output.ts';
import type { ChatRequestBody, ServerClient } from '../client/client.ts';
import { type ReplyMeasurements, streamReplyToScreen } from '../client/reply.ts';

export interface BenchPlan {
  model: string;
  /**
   * The wanted length of each prompt in tokens, the chat template included. Prompts come as close to it as whole words
   * allow.
   */
  promptTokens: number;
  /** The most tokens of each reply. A model may end earlier. */
  replyTokens: number;
  rounds: number;
}

/** Medians over all replies of all rounds. Rates are in tokens per second; null if the server does not report them. */
export interface Measurement {
  streams: number;
  promptTokens: number;
  replyTokens: number;
  /** Time from the request to the first token in ms, by this process's clock. */
  firstTokenMs: number | null;
  /** From the server's `timings`. */
  promptPerSecond: number | null;
  /** The rate of one stream, from the server's `timings`. */
  replyPerSecond: number | null;
  /**
   * The reply tokens of all streams, divided by the time until the last stream ended, prompts included. By this
   * process's clock.
   */
  togetherPerSecond: number;
}

/** A request and the text of its reply. */
export interface Answered {
  body: ChatRequestBody;
  text: string;
}

const silent = { write: () => {}, colours: plain, showReasoning: false };

/**
 * Returns a function that makes prompts of about the wanted length, each with another beginning. It first asks the
 * server how many tokens its words make, which also loads the model. Throws the server's error.
 */
export async function createPrompts(client: ServerClient, { model, promptTokens }: BenchPlan): Promise<() => string> {
  const SAMPLE = 64;
  const count = async (words: number) => {
    const { stats } = await reply(client, { ...body(model, text(words, 0)), max_tokens: 1 });
    return stats.promptTokens;
  };
  const empty = await count(1);
  const perWord = Math.max(0.1, (await count(SAMPLE + 1)) - empty) / SAMPLE;
  const words = Math.max(1, Math.round((promptTokens - empty) / perWord) + 1);
  let made = 0;
  return () => text(words, ++made);
}

/** Returns the engine of a loaded model. Throws an `Error` if the server does not report it. */
export async function engineOf(
  client: ServerClient,
  id: string,
): Promise<{ backend: string; device: string; slots: number }> {
  const found = (await client.health()).models.find((loaded) => loaded.id === id);
  if (!found) throw new Error(`the server does not say what ${id} runs on`);
  return { backend: found.backend, device: found.device, slots: found.slots };
}

/**
 * Measures `plan.streams` replies at once, in several rounds. Throws the server's error.
 *
 * @param afterRound gets the replies of each round; the next round waits for it
 */
export async function measure(
  client: ServerClient,
  { model, replyTokens, rounds }: BenchPlan,
  streams: number,
  nextPrompt: () => string,
  afterRound: (answered: Answered[]) => Promise<void> = async () => {},
): Promise<Measurement> {
  const replies: ReplyMeasurements[] = [];
  const together: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bodies = Array.from({ length: streams }, () => ({ ...body(model, nextPrompt()), max_tokens: replyTokens }));
    const startedAt = performance.now();
    const answered = await Promise.all(bodies.map(async (one) => ({ body: one, ...(await reply(client, one)) })));
    const seconds = (performance.now() - startedAt) / 1000;
    const stats = answered.map((done) => done.stats);
    together.push(stats.reduce((sum, { completionTokens }) => sum + completionTokens, 0) / seconds);
    replies.push(...stats);
    await afterRound(answered);
  }
  return {
    streams,
    promptTokens: median(replies.map((stats) => stats.promptTokens)) ?? 0,
    replyTokens: median(replies.map((stats) => stats.completionTokens)) ?? 0,
    firstTokenMs: median(replies.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
    promptPerSecond: median(replies.flatMap(({ timings }) => timings?.prompt_per_second ?? [])),
    replyPerSecond: median(replies.flatMap(({ timings }) => timings?.predicted_per_second ?? [])),
    togetherPerSecond: median(together) ?? 0,
  };
}

/** Returns the median: the mean of the two middle values for an even number of values, and null for none. */
export function median(numbers: number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  if (upper === undefined) return null;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? upper) + upper) / 2 : upper;
}

/**
 * Makes a request with greedy sampling, without penalties and without a prompt cache, so that only the model's own work
 * is measured.
 */
function body(model: string, content: string): ChatRequestBody {
  return {
    model,
    messages: [{ role: 'user', content }],
    temperature: 0,
    repeat_penalty: 1,
    cache_prompt: false,
    context_overflow: 'error',
  };
}

/** Reads a reply without showing it. Throws the server's error. */
export function reply(client: ServerClient, request: ChatRequestBody) {
  return streamReplyToScreen(client, request, silent, new AbortController().signal);
}

const WORDS = ['red', 'house', 'river', 'seven', 'green', 'stone', 'under', 'light'];

/**
 * Makes a text that begins with `salt`, written in base 8 with words as digits: no prompt is a prefix of another one.
 */
function text(words: number, salt: number): string {
  const digit = (index: number) => (index < 10 ? Math.floor(salt / 8 ** index) : index * 3 + (index >> 3));
  return Array.from({ length: words }, (_, index) => WORDS[digit(index) % WORDS.length]).join(' ');
}
