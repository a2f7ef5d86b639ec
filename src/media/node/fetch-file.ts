import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { type ClientRequestArgs, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gather } from '../gather.ts';
import type { MediaLimits } from '../limits.ts';
import { fileTooLarge, MediaProblem, unreachable } from '../problem.ts';

export interface FetchOptions {
  /** True if this IP address may be contacted. */
  mayAsk: (address: string) => boolean;
  limits: Pick<MediaLimits, 'fileBytes' | 'fetchMs' | 'redirects'>;
  /** Returns all addresses of a host. The host may be an IP address itself. */
  lookup?: (host: string) => Promise<LookupAddress[]>;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** No secrets and no cookies are sent. Compression is refused. */
const HEADERS = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Paddock' };

/**
 * Fetches the file at an http(s) URL. For each URL, redirects included, the host's addresses are looked up once and
 * checked. The connection uses these very addresses, so that no second look-up can lead elsewhere. Proxies of the
 * environment are not used.
 *
 * @throws MediaProblem
 */
export async function fetchFile(url: URL, options: FetchOptions, signal: AbortSignal): Promise<Uint8Array> {
  const { fileBytes, fetchMs, redirects } = options.limits;
  const timeout = AbortSignal.timeout(fetchMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    let next = url;
    for (let hops = 0; hops <= redirects; hops++) {
      const response = await open(next, options, either);
      const target = redirectOf(response, next);
      if (!target) return await readBody(response, fileBytes);
      response.destroy();
      next = target;
    }
    throw unreachable(`is behind more than ${redirects} redirects.`);
  } catch (error) {
    if (timeout.aborted) throw unreachable(`has not come within ${fetchMs / 1000} s.`);
    if (error instanceof MediaProblem) throw error;
    throw unreachable(`could not be fetched: the connection failed (${codeOf(error)}).`);
  }
}

async function open(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const addresses = await orAborted(findAddresses(url, options), signal);
  const lookup = ((_host, { all }, found) =>
    all
      ? found(null, addresses)
      : found(null, addresses[0]?.address ?? '', addresses[0]?.family)) as ClientRequestArgs['lookup'];
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { agent: false, headers: HEADERS, lookup, signal }, resolve).on('error', reject).end();
  });
}

/**
 * Looks up the addresses of a URL's host.
 *
 * @throws MediaProblem if any of them may not be contacted, since the connection may pick any of them
 */
async function findAddresses({ hostname }: URL, { mayAsk, lookup = lookUp }: FetchOptions): Promise<LookupAddress[]> {
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1')).catch(() => {
    throw unreachable('could not be fetched: its host is not known.');
  });
  if (!addresses.every(({ address }) => mayAsk(address)))
    throw new MediaProblem('media_forbidden', 'is at an address that is not public, which may not be asked.');
  return addresses;
}

function lookUp(host: string): Promise<LookupAddress[]> {
  return dnsLookup(host, { all: true });
}

/** Returns the target of a redirect, or null if the response is the file. Throws a `MediaProblem` if it is neither. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (statusCode === 200) return null;
  if (!REDIRECTS.includes(statusCode) || location === undefined)
    throw unreachable(`could not be fetched: its host answered with status ${statusCode}.`);
  const target = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw unreachable('could not be fetched: its host redirects to what is no http(s) URL.');
  return target;
}

async function readBody(response: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  if (Number(response.headers['content-length']) > limitBytes) {
    response.destroy();
    throw fileTooLarge(limitBytes);
  }
  return gather(response, limitBytes);
}

/** Stops waiting for a promise when the signal aborts. A DNS look-up can't be cancelled. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject);
  });
}

/** After several failed attempts to connect, Node throws one error without a message that holds the others. */
function codeOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error && 'code' in first ? String(first.code) : 'unknown reason';
}
