import { sseData } from '../../../src/api/stream/sse-data.ts';
import { chunksOf } from '../../body-chunks.ts';
import { t } from '../messages/language.ts';

/**
 * A failed call of the API. The message is for people. `status` is null if no server answered; `code` is the API's
 * error code.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number | null;
  readonly code: string | null;

  constructor(message: string, status: number | null, code: string | null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The API for the page. Every call throws an `ApiFailure`, or an `AbortError` if its signal is aborted. */
export interface ApiClient {
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Sends JSON, or a form, and returns the JSON of the response. */
  post(path: string, body: object | FormData, signal?: AbortSignal): Promise<unknown>;
  remove(path: string): Promise<void>;
  /** Yields the events of a streamed response, up to [DONE]. */
  events(path: string, body: object | Blob, signal: AbortSignal): AsyncGenerator<unknown>;
}

export interface ClientOptions {
  /** Returns the key to send, or null. */
  key: () => string | null;
  /** Called when the server wants a key or refuses the key that was sent. */
  onKeyWanted: (message: string) => void;
}

/** Returns a client of the API at the page's origin. */
export function createApiClient({ key, onKeyWanted }: ClientOptions): ApiClient {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const bearer = key();
    if (bearer) headers.set('authorization', `Bearer ${bearer}`);
    const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiFailure(t('start.unreachable'), null, null);
    });
    if (response.ok) return response;
    const failure = await readFailure(response);
    if (response.status === 401) onKeyWanted(failure.message);
    throw failure;
  };

  return {
    get: async (path, signal) => (await send(path, signal && { signal })).json(),
    post: async (path, body, signal) =>
      (await send(path, { method: 'POST', ...encode(body), ...(signal && { signal }) })).json(),
    remove: async (path) => {
      await send(path, { method: 'DELETE' });
    },
    async *events(path, body, signal) {
      const response = await send(path, { method: 'POST', signal, ...encode(body) });
      try {
        for await (const data of sseData(chunksOf(response.body))) {
          if (data === '[DONE]') return;
          const event: unknown = JSON.parse(data);
          const error = errorIn(event);
          if (error) throw new ApiFailure(error.message, response.status, error.code);
          yield event;
        }
      } catch (error) {
        if (signal.aborted || error instanceof ApiFailure) throw error;
      }
      throw new ApiFailure(t('start.brokeOff'), null, null);
    },
  };
}

function encode(body: object | Blob | FormData): RequestInit {
  // The browser names the boundary of a form.
  if (body instanceof FormData) return { body };
  if (body instanceof Blob) return { body, headers: { 'content-type': 'application/octet-stream' } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

async function readFailure(response: Response): Promise<ApiFailure> {
  const error = errorIn(await response.json().catch(() => null));
  const message =
    error?.message ?? t('start.answersError', { status: `${response.status} ${response.statusText}`.trim() });
  return new ApiFailure(message, response.status, error?.code ?? null);
}

function errorIn(value: unknown): { message: string; code: string | null } | null {
  const { error } = (value ?? {}) as { error?: { message?: unknown; code?: unknown } };
  if (typeof error?.message !== 'string') return null;
  return { message: error.message, code: typeof error.code === 'string' ? error.code : null };
}
