import OpenAI from 'openai';
import { until } from '../kit/until.ts';

/** A running Paddock that the contract suite tests, on any platform. It serves the models of test/support/models.ts. */
export interface Target {
  /** Does not end with a slash. */
  url: string;
  apiKey: string;
  /** Like `url`, but with a single slot, and with room for only one waiting request. */
  smallUrl: string;
  /** Like `url`, but able to take recordings. In a browser this needs threads, which only isolated pages have. */
  audioUrl: string;
  /** The number of seeds that the cases try if a promise must hold for every seed. */
  seeds: number;
  /**
   * Whether it computes on a GPU. Its kernels depend on how many tokens a pass has, so the logits of a token differ a little from pass to
   * pass, and at a temperature above 0 another token may be drawn.
   */
  gpu?: boolean;
}

export function openai(target: Target, apiKey = target.apiKey): OpenAI {
  return new OpenAI({ baseURL: `${target.url}/v1`, apiKey, maxRetries: 0 });
}

/** The smallest chat request. It is greedy and short, so that replies can be compared. */
export function chatBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model: 'tiny',
    messages: [{ role: 'user', content: 'hello' }],
    temperature: 0,
    max_tokens: 16,
    ...more,
  };
}

export interface JsonResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is checked by the tests, not by types.
  body: any;
}

/** Sends a chat request with plain fetch. A string is sent as it is. */
export async function postChat(target: Target, body: unknown, init: RequestInit = {}): Promise<JsonResponse> {
  return postJson(target, '/v1/chat/completions', body, init);
}

/** Sends a POST request to any path. A string is sent as it is. */
export async function postJson(
  target: Pick<Target, 'url' | 'apiKey'>,
  path: string,
  body: unknown,
  init: RequestInit = {},
): Promise<JsonResponse> {
  return asJson(
    await fetch(target.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json', ...init.headers },
    }),
  );
}

export async function getJson(
  target: Target,
  path: string,
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  return asJson(await fetch(target.url + path, { headers: { authorization: `Bearer ${target.apiKey}`, ...headers } }));
}

async function asJson(response: Response): Promise<JsonResponse> {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Opens a stream. The caller reads the reply's body. */
export function openStream(target: Target, body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
  return fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
    headers: { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' },
    ...(signal && { signal }),
  });
}

/** Reads the events of a stream: the text after `data: `, parsed as JSON, except for `[DONE]`. */
// biome-ignore lint/suspicious/noExplicitAny: see JsonResponse.
export async function readStream(response: Response): Promise<any[]> {
  const events = (await response.text()).split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  return events.map((event) => {
    const data = event.replace(/^data: /, '');
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}

/** The requests of each model that run and that wait. */
async function requestsOf(target: Target): Promise<{ busy: number; waiting: number }[]> {
  return (await getJson(target, '/health')).body.models;
}

/** Waits until no request runs or waits. */
export function untilIdle(target: Target): Promise<void> {
  return until(async () => (await requestsOf(target)).every(({ busy, waiting }) => busy === 0 && waiting === 0));
}

/** Whether a request runs. */
export async function isBusy(target: Target): Promise<boolean> {
  return (await requestsOf(target)).some(({ busy }) => busy > 0);
}

/** Whether a request is in the queue. */
export async function isQueued(target: Target): Promise<boolean> {
  return (await requestsOf(target)).some(({ waiting }) => waiting > 0);
}

/**
 * Lets a client leave once the server is in this state. Returns false if the client was answered before: a fast model ends its
 * reply while a busy machine asks for the state.
 */
export async function leaveWhen(
  target: Target,
  body: Record<string, unknown>,
  isReached: (target: Target) => Promise<boolean>,
): Promise<boolean> {
  const gone = new AbortController();
  let isAnswered = false;
  const reply = postChat(target, body, { signal: gone.signal })
    .catch(() => 'aborted')
    .finally(() => {
      isAnswered = true;
    });
  await until(async () => isAnswered || (await isReached(target)));
  if (isAnswered) return false;
  gone.abort();
  return (await reply) === 'aborted';
}

/**
 * Calls `check` while the only slot of a server and the one place in its queue are taken. Both are free again afterwards,
 * whether it throws or not. Returns the status of the request that waited. Where the reply in the slot ended before, it is tried again.
 */
export async function whileFull(small: Target, check: () => Promise<void>): Promise<number> {
  await postChat(small, chatBody({ max_tokens: 1 }));
  for (;;) {
    const cancel = new AbortController();
    const running = await openStream(small, chatBody({ max_tokens: null }), cancel.signal);
    let hasEnded = false;
    const whole = running.text().catch(() => {});
    whole.then(() => {
      hasEnded = true;
    });
    const waiting = postChat(small, chatBody());
    let isChecked = false;
    try {
      await until(async () => hasEnded || (await isQueued(small)));
      await check();
      isChecked = true;
    } catch (error) {
      if (!hasEnded) throw error;
    } finally {
      cancel.abort();
      await whole;
    }
    const { status } = await waiting;
    if (isChecked) return status;
  }
}

/** Joins the content of a stream's chunks. */
// biome-ignore lint/suspicious/noExplicitAny: see JsonResponse.
export function contentOf(events: any[]): string {
  return events.map((event) => event.choices?.[0]?.delta?.content ?? '').join('');
}
