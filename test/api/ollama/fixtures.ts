import type { ApiReply } from '../../../src/api/http/http.ts';
import { readBody } from '../fixtures.ts';

/** A type of the ollama package as it comes over the network: it calls times dates, which are texts there. */
export type Sent<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] extends (infer I)[] ? SentItem<I>[] : T[K] };
type SentItem<T> = T extends object ? Sent<T> : T;

/** The lines of a stream. Throws if one is not JSON, or is empty: clients fail on both. */
// biome-ignore lint/suspicious/noExplicitAny: what a server says is checked by the tests, not by types.
export async function readLines(reply: ApiReply): Promise<any[]> {
  const text = await readBody(reply);
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** What `withoutTimes` has for every duration. It is a number, so that the types of the package still fit. */
export const NS = 1;

/** Puts a mark in the place of what differs from run to run: times, durations and the ids of calls. */
export function withoutTimes<T>(value: T): T {
  const marked = JSON.stringify(value, (key, inner) => {
    if (key === 'created_at' && !Number.isNaN(Date.parse(inner))) return 'TIME';
    if (key === 'total_duration' || key === 'load_duration') return Number.isSafeInteger(inner) ? NS : inner;
    return key === 'id' && /^call_\w+$/.test(inner) ? 'CALL' : inner;
  });
  return JSON.parse(marked);
}
