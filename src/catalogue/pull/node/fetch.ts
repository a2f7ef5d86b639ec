import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CannotOpen, openCheckedUrl } from '../../../net/node/open-url.ts';
import { isPublicAddress } from '../../../net/node/public-address.ts';
import { downloadFailed, sourceNotPublic } from '../errors.ts';
import type { Fetch } from '../remote.ts';

export interface HubFetchOptions {
  /** The URL of the hub. The operator has configured it, so it may be on a private network. */
  hubUrl: string;
  /** True if models may come from this machine and from private networks. */
  allowPrivate: boolean;
}

/** More than any hub needs. */
const MOST_REDIRECTS = 10;

/** Compression is refused: a compressed answer has other lengths and ranges than the file. */
const HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'paddock' };

/**
 * Makes the fetch of a server, whose clients choose the URLs. It connects to public addresses only, redirects included,
 * and its errors do not reveal whether a private address exists. It sends the `Authorization` header to the URL's own
 * origin only. It throws an `ApiError` if another attempt would fail in the same way, as for a private address or a bad
 * redirect, and a plain error if not.
 */
export function createServerFetch({ hubUrl, allowPrivate }: HubFetchOptions): Fetch {
  const hub = new URL(hubUrl).origin;
  return async (url, { headers: { authorization, ...headers }, signal }) => {
    const { origin } = new URL(url);
    const isHub = (asked: URL) => origin === hub && asked.origin === hub;
    try {
      const response = await openCheckedUrl(new URL(url), {
        headersFor: (asked) => ({
          ...HEADERS,
          ...headers,
          ...(authorization !== undefined && asked.origin === origin && { authorization }),
        }),
        mayAsk: (address, asked) => allowPrivate || isHub(asked) || isPublicAddress(address),
        redirects: MOST_REDIRECTS,
        signal,
      });
      return toResponse(response);
    } catch (error) {
      throw error instanceof CannotOpen ? toError(error, url) : error;
    }
  };
}

/** Returns an `ApiError` if another attempt would fail in the same way, else a plain error. */
function toError({ reason }: CannotOpen, url: string): Error {
  const { host } = new URL(url);
  switch (reason) {
    case 'forbidden address':
      return sourceNotPublic(host);
    case 'unknown host':
      return new Error('no address of it is known: is this machine connected to a network?');
    case 'bad redirect':
      return downloadFailed(`${host} redirects to what is no http(s) URL.`);
    case 'too many redirects':
      return downloadFailed(`${host} redirects more than ${MOST_REDIRECTS} times.`);
    default:
      return reason satisfies never;
  }
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) message.resume();
  return new Response(hasBody ? (Readable.toWeb(message) as ReadableStream<Uint8Array>) : null, { status, headers });
}
