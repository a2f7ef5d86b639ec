import type { IncomingMessage } from 'node:http';
import { type Refusal, readEvents, readText, send, toRefusal } from '../../kit/http.ts';
import type { Question } from './questions.ts';
import { gistOf } from './replies.ts';

/** The outcome of a question. Times are in ms. */
export type Reply =
  | { kind: 'whole'; gist: string; pauses: Pause[] }
  /** An error response, before the reply or in the middle of it. */
  | { kind: 'refused'; refusal: Refusal }
  /** The connection broke, or the stream ended without its last event. */
  | { kind: 'broken'; reason: string };

/** A time without an event of the reply. Pings do not count. */
export interface Pause {
  /** `performance.now()` at the beginning of the pause. */
  at: number;
  ms: number;
}

/** A request that takes longer than this hangs, in ms. Replacing a stopped engine takes less. */
const LONGEST_MS = 180_000;
/** Shorter pauses are not reported, in ms. */
const PAUSE_MS = 200;

/**
 * Sends a question and reads the reply, as a stream or whole. `wait` is called after each event of a stream, for
 * clients that read slowly.
 */
export async function ask(
  url: string,
  { path, body }: Question,
  options: { stream: boolean; wait?: () => Promise<void> },
): Promise<Reply> {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  try {
    const reply = await send(url, { path, body: { ...body, stream: options.stream } }, timeout);
    const status = reply.statusCode ?? 0;
    if (status !== 200) return { kind: 'refused', refusal: toRefusal(status, await readText(reply)) };
    if (options.stream) return await readStream(reply, options.wait);
    return { kind: 'whole', gist: gistOf([JSON.parse(await readText(reply))]), pauses: [] };
  } catch (error) {
    const reason = timeout.aborted ? `no end within ${LONGEST_MS / 1000} s` : messageOf(error);
    return { kind: 'broken', reason };
  }
}

async function readStream(reply: IncomingMessage, wait?: () => Promise<void>): Promise<Reply> {
  const chunks: unknown[] = [];
  const pauses: Pause[] = [];
  let last = performance.now();
  for await (const data of readEvents(reply)) {
    const now = performance.now();
    if (chunks.length > 0 && now - last > PAUSE_MS && !wait) pauses.push({ at: last, ms: now - last });
    last = now;
    if (data === '[DONE]') return { kind: 'whole', gist: gistOf(chunks), pauses };
    const chunk = JSON.parse(data) as object;
    // The status of the response is 200 already, and the error's kind tells the status that it would have had.
    if ('error' in chunk) return { kind: 'refused', refusal: toRefusal(200, data) };
    chunks.push(chunk);
    await wait?.();
  }
  return { kind: 'broken', reason: 'the stream ended without [DONE]' };
}

/** Returns the code of a system error, such as `ECONNRESET`, or the message of any other error. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
