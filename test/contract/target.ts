import OpenAI from 'openai';

/** A Paddock to hold to the contract, wherever it runs. It serves the models of test/support/models.ts. */
export interface Target {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
  /** As `url`, but with a single slot and room for one more request to wait. */
  smallUrl: string;
  /** As `url`, where recordings are heard: in a browser, that takes threads, which it gives to isolated pages only. */
  audioUrl: string;
  /** How many seeds the cases try that hold for every one. */
  seeds: number;
}

export function openai(target: Target, apiKey = target.apiKey): OpenAI {
  return new OpenAI({ baseURL: `${target.url}/v1`, apiKey, maxRetries: 0 });
}

/** The least that a chat request can say; greedy and short, so that replies can be compared. */
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

/** POSTs a chat request with plain fetch. A string goes out as it is. */
export async function postChat(target: Target, body: unknown, init: RequestInit = {}): Promise<JsonResponse> {
  return postJson(target, '/v1/chat/completions', body, init);
}

/** POSTs to any path. A string goes out as it is. */
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

/** Opens a stream; the reply's body is read by the caller. */
export function openStream(target: Target, body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
  return fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
    headers: { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' },
    ...(signal && { signal }),
  });
}

/** The events of a stream as they stand on the wire: what follows `data: `, JSON parsed but for `[DONE]`. */
// biome-ignore lint/suspicious/noExplicitAny: see JsonResponse.
export async function readStream(response: Response): Promise<any[]> {
  const events = (await response.text()).split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  return events.map((event) => {
    const data = event.replace(/^data: /, '');
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}

/** Waits until no generation runs or waits. The test's own time limit bounds it. */
export async function untilIdle(target: Target): Promise<void> {
  const isIdle = ({ busy, waiting }: { busy: number; waiting: number }) => busy === 0 && waiting === 0;
  while (!(await getJson(target, '/health')).body.models.every(isIdle));
}

/** The content that a stream's chunks add up to. */
// biome-ignore lint/suspicious/noExplicitAny: see JsonResponse.
export function contentOf(events: any[]): string {
  return events.map((event) => event.choices?.[0]?.delta?.content ?? '').join('');
}
