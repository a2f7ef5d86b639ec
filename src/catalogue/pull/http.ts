import { ApiError } from '../../contract/errors.ts';
import { type PersistOptions, TemporaryFailure } from './patience.ts';

/** A response with a limit on silence: reading the body fails if nothing comes for too long. */
export interface OpenResponse {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/**
 * Sends a GET request and follows redirects. `fetch` drops the Authorization header if a redirect leads to another
 * origin.
 *
 * @throws TemporaryFailure if the host can't be reached, is silent for too long, or says that it is busy or broken
 */
export async function openUrl(
  url: string,
  headers: Record<string, string>,
  { fetch, signal, patience: { stallMs } }: Pick<PersistOptions, 'fetch' | 'signal' | 'patience'>,
): Promise<OpenResponse> {
  const host = new URL(url).host;
  const watch = watchSilence(signal, stallMs);
  const failed = (error: unknown) => {
    signal.throwIfAborted();
    if (watch.wasSilent()) return new TemporaryFailure(`${host} has sent nothing for ${seconds(stallMs)}`);
    return new TemporaryFailure(`the connection to ${host} failed (${causeOf(error)})`, { unreachable: true });
  };
  try {
    const response = await fetch(url, { headers, signal: watch.signal });
    watch.sawLife();
    const { status } = response;
    if (isTemporary(status)) {
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
      throw new TemporaryFailure(`${host} answered with status ${status}`, { retryAfterMs });
    }
    return { status, headers: response.headers, body: readBody(response, watch, failed), close: watch.close };
  } catch (error) {
    watch.close();
    throw error instanceof TemporaryFailure || error instanceof ApiError ? error : failed(error);
  }
}

/** Reads the whole body as text. Throws if it is longer than `limitBytes`. */
export async function readBodyText({ body }: OpenResponse, limitBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limitBytes)
      throw new TemporaryFailure(`the answer is longer than ${limitBytes} bytes`, { retries: 0 });
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

async function* readBody(response: Response, watch: SilenceWatch, failed: (error: unknown) => unknown) {
  try {
    const reader = response.body?.getReader();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      watch.sawLife();
      yield next.value;
      // The time that the reader needed, for example on a slow disk, is not the host's silence.
      watch.sawLife();
    }
  } catch (error) {
    throw failed(error);
  } finally {
    watch.close();
  }
}

interface SilenceWatch {
  /** Aborted by the caller's signal, by too long a silence, and by `close`. */
  signal: AbortSignal;
  sawLife(): void;
  wasSilent(): boolean;
  close(): void;
}

function watchSilence(outer: AbortSignal, stallMs: number): SilenceWatch {
  const cancel = new AbortController();
  let silent = false;
  let lastLife = performance.now();
  const look = () => {
    const left = lastLife + stallMs - performance.now();
    silent = left <= 0;
    if (silent) cancel.abort();
    else timer = setTimeout(look, left);
  };
  let timer = setTimeout(look, stallMs);
  const sawLife = () => {
    lastLife = performance.now();
  };
  const close = () => {
    clearTimeout(timer);
    outer.removeEventListener('abort', close);
    cancel.abort();
  };
  outer.addEventListener('abort', close, { once: true });
  if (outer.aborted) close();
  return { signal: cancel.signal, sawLife, wasSilent: () => silent, close };
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Returns the delay in ms. The header has a number of seconds or a date:
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function readRetryAfter(value: string | null): number {
  if (value === null) return 0;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : 0;
}

/** fetch's own message is only `fetch failed`; the reason is in its cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown reason';
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
