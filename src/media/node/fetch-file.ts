import type { IncomingMessage } from 'node:http';
import { CannotOpen, type CannotOpenReason, type OpenOptions, openCheckedUrl } from '../../net/node/open-url.ts';
import { gather } from '../gather.ts';
import type { MediaLimits } from '../limits.ts';
import { fileTooLarge, MediaProblem, unreachable } from '../problem.ts';

export interface FetchMediaOptions extends Pick<OpenOptions, 'mayAsk' | 'lookup'> {
  limits: Pick<MediaLimits, 'fileBytes' | 'fetchMs' | 'redirects'>;
}

/** No secrets and no cookies are sent. Compression is refused. */
const HEADERS = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Paddock' };

/**
 * Fetches the file at an http(s) URL. The addresses of the URL and of all redirects are checked.
 *
 * @throws MediaProblem
 */
export async function fetchMediaFile(url: URL, options: FetchMediaOptions, signal: AbortSignal): Promise<Uint8Array> {
  const { mayAsk, lookup, limits } = options;
  const { fileBytes, fetchMs, redirects } = limits;
  const timeout = AbortSignal.timeout(fetchMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const response = await openCheckedUrl(url, {
      headersFor: () => HEADERS,
      mayAsk,
      lookup,
      redirects,
      signal: either,
    });
    if (response.statusCode !== 200)
      throw unreachable(`could not be fetched: its host answered with status ${response.statusCode}.`);
    return await readBody(response, fileBytes);
  } catch (error) {
    if (timeout.aborted) throw unreachable(`has not come within ${fetchMs / 1000} s.`);
    if (error instanceof MediaProblem) throw error;
    if (error instanceof CannotOpen) throw problemOf(error.reason, redirects);
    throw unreachable(`could not be fetched: the connection failed (${codeOf(error)}).`);
  }
}

function problemOf(reason: CannotOpenReason, redirects: number): MediaProblem {
  switch (reason) {
    case 'forbidden address':
      return new MediaProblem('media_forbidden', 'is at an address that is not public, which may not be asked.');
    case 'unknown host':
      return unreachable('could not be fetched: its host is not known.');
    case 'bad redirect':
      return unreachable('could not be fetched: its host redirects to what is no http(s) URL.');
    case 'too many redirects':
      return unreachable(`is behind more than ${redirects} redirects.`);
    default:
      return reason satisfies never;
  }
}

async function readBody(response: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(response.headers['content-length']) > limitBytes) {
    response.destroy();
    throw fileTooLarge(limitBytes);
  }
  return gather(response, limitBytes);
}

/** After several failed attempts to connect, Node throws one error without a message that holds the others. */
function codeOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error && 'code' in first ? String(first.code) : 'unknown reason';
}
