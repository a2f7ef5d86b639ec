import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, ApiReply, OnBehalf } from '../api/http/http.ts';
import { ApiError } from '../contract/errors.ts';

/** The whole reply to a request of a batch. */
export interface LineReply {
  status: number;
  requestId: string;
  /** JSON. */
  body: string;
}

/** A request of a batch. */
export interface AskedLine {
  endpoint: string;
  body: string;
  /** Whom it is asked for; its party gets a `giveWay`. */
  onBehalf: OnBehalf;
}

/** How long a request waits after it has given way, in ms: the requests that needed its slot or its room come first. */
export const GAVE_WAY_MS = 1000;

/**
 * Asks the API a request of a batch. A request that gave way to another one, or that was refused for a time, is asked again.
 * Resolves to null if `stop` aborts first.
 */
export async function answerLine(
  api: Api,
  { endpoint, body, onBehalf }: AskedLine,
  stop: AbortSignal,
): Promise<LineReply | null> {
  while (!stop.aborted) {
    const attempt = new AbortController();
    const end = () => attempt.abort(notAnswered('stopped', 'The batch has ended.'));
    stop.addEventListener('abort', end, { once: true });
    const giveWay = () => attempt.abort(notAnswered('gave_way', 'Another request needed the slot.'));
    const party = { ...onBehalf.party, giveWay };
    const reply = await api(toRequest(endpoint, body, { ...onBehalf, party }, attempt.signal));
    const text = await textOf(reply);
    stop.removeEventListener('abort', end);
    if (stop.aborted) return null;
    const waitMs = attempt.signal.aborted ? GAVE_WAY_MS : waitOf(reply);
    if (waitMs === null) return { status: reply.status, requestId: reply.headers['x-request-id'] ?? '', body: text };
    await sleep(waitMs, null, { signal: stop }).catch(() => {});
  }
  return null;
}

function toRequest(endpoint: string, body: string, onBehalf: OnBehalf, signal: AbortSignal) {
  const bytes = async () => Buffer.from(body);
  return {
    method: 'POST',
    path: endpoint,
    query: '',
    headers: { 'content-type': 'application/json' },
    async text(look?: (bytes: Uint8Array) => void) {
      look?.(Buffer.from(body));
      return body;
    },
    bytes,
    signal,
    onBehalf,
  };
}

async function textOf({ body }: ApiReply): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

/** Returns the time after which a refused request may be asked again, in ms; null if the reply is final. */
function waitOf({ status, headers }: ApiReply): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : null;
}

/** 499, as for a client that has left: nobody gets this reply. */
function notAnswered(code: string, message: string): ApiError {
  return new ApiError({ status: 499, type: 'server_error', code, param: null, message });
}
