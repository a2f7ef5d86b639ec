import { newPrefixedId } from '../api/generation/ids.ts';
import type { ApiKey } from '../api/keys/key.ts';
import type { LineReply } from './answer.ts';
import { type BatchLine, linesOf, readLine } from './lines.ts';
import type { Results } from './results.ts';

/** What a run of a batch needs. */
export interface RunOptions {
  /** The path of the batch's file. */
  input: string;
  endpoint: string;
  results: Results;
  /** How many requests may be under way at once, at the moment. */
  atOnce: () => number;
  /** Asks one request. Resolves to null if `stop` aborts first. */
  ask: (body: string, stop: AbortSignal) => Promise<LineReply | null>;
  /** Is called after each result. */
  onResult: () => void;
}

/** Asks all requests of a file that have no result yet, several at once. Ends early when `stop` aborts. Throws if the results can't be written. */
export async function runLines({ input, endpoint, results, atOnce, ask, onResult }: RunOptions, stop: AbortSignal) {
  const underWay = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  const answer = async ({ customId, body }: BatchLine) => {
    try {
      const reply = await ask(body, stop);
      if (!reply) return;
      const to = reply.status < 300 ? 'outputs' : 'errors';
      await results.add(to, customId, toResult(customId, reply));
      onResult();
    } catch (error) {
      failure ??= { error };
    }
  };
  for await (const line of openLines(input, endpoint, results)) {
    while (underWay.size >= atOnce()) await Promise.race(underWay);
    if (stop.aborted || failure) break;
    const work = answer(line).finally(() => underWay.delete(work));
    underWay.add(work);
  }
  await Promise.all(underWay);
  // The function above sets it.
  const failed = failure as { error: unknown } | null;
  if (failed) throw failed.error;
}

/** Writes for each request without a result that it was not asked, and why. */
export async function noteUnasked(
  { input, endpoint, results }: Pick<RunOptions, 'input' | 'endpoint' | 'results'>,
  code: 'batch_expired' | 'batch_cancelled',
): Promise<void> {
  const message =
    code === 'batch_expired'
      ? 'The batch expired before this request was answered.'
      : 'The batch was cancelled before this request was answered.';
  for await (const { customId } of openLines(input, endpoint, results)) {
    const line = { id: newPrefixedId('batch_req'), custom_id: customId, response: null, error: { code, message } };
    await results.add('errors', customId, JSON.stringify(line));
  }
}

/** Yields the requests of a file that have no result. */
async function* openLines(input: string, endpoint: string, results: Results): AsyncGenerator<BatchLine> {
  for await (const { text } of linesOf(input)) {
    const line = readLine(text, endpoint);
    if ('customId' in line && !results.has(line.customId)) yield line;
  }
}

function toResult(customId: string, { status, requestId, body }: LineReply): string {
  const response = { status_code: status, request_id: requestId, body: JSON.parse(body) as unknown };
  return JSON.stringify({ id: newPrefixedId('batch_req'), custom_id: customId, response, error: null });
}

/** Returns how many requests of a key a batch may have under way: as many as there are slots, and one that is ready for the next. */
export function mostUnderWay(slots: number, key: ApiKey | null): number {
  return Math.max(1, Math.min(slots + 1, key?.limits?.concurrency ?? Number.POSITIVE_INFINITY));
}
