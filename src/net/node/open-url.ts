import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { type ClientRequestArgs, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** How to send the requests for a URL, which are several if it redirects. */
export interface OpenOptions {
  /** Returns the headers to send to a URL. */
  headersFor: (url: URL) => Record<string, string>;
  /** True if the host of a URL may be contacted at this IP address. */
  mayAsk: (address: string, url: URL) => boolean;
  /** Returns all addresses of a host. The host may be an IP address itself. */
  lookup?: ((host: string) => Promise<LookupAddress[]>) | undefined;
  /** How many redirects are followed. */
  redirects: number;
  signal: AbortSignal;
}

export type CannotOpenReason = 'forbidden address' | 'unknown host' | 'bad redirect' | 'too many redirects';

/** A URL can't be opened: its address is forbidden, its host is unknown, or its redirects are wrong. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
  readonly reason: CannotOpenReason;

  constructor(reason: CannotOpenReason) {
    super(reason);
    this.reason = reason;
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Sends GET to an http(s) URL and follows its redirects. Resolves to the last response once its headers have arrived. For each URL, the
 * host's addresses are looked up once and checked, and the connection uses only these addresses, so that a second DNS look-up can't
 * return others. Proxies of the environment are not used.
 *
 * @throws CannotOpen if a URL may not or can't be opened, or the error of the connection
 */
export async function openCheckedUrl(url: URL, options: OpenOptions): Promise<IncomingMessage> {
  let next = url;
  for (let hops = 0; hops <= options.redirects; hops++) {
    const response = await openOne(next, options);
    const target = redirectOf(response, next);
    if (!target) return response;
    response.destroy();
    next = target;
  }
  throw new CannotOpen('too many redirects');
}

async function openOne(url: URL, options: OpenOptions): Promise<IncomingMessage> {
  const { headersFor, signal } = options;
  const addresses = await orAborted(findAddresses(url, options), signal);
  const lookup = ((_host, { all }, found) =>
    all
      ? found(null, addresses)
      : found(null, addresses[0]?.address ?? '', addresses[0]?.family)) as ClientRequestArgs['lookup'];
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { agent: false, headers: headersFor(url), lookup, signal }, resolve)
      .on('error', reject)
      .end();
  });
}

/** All addresses are checked, since the connection may pick any of them. */
async function findAddresses(url: URL, { mayAsk, lookup = lookUp }: OpenOptions): Promise<LookupAddress[]> {
  const addresses = await lookup(url.hostname.replace(/^\[(.*)\]$/, '$1')).catch(() => {
    throw new CannotOpen('unknown host');
  });
  if (!addresses.every(({ address }) => mayAsk(address, url))) throw new CannotOpen('forbidden address');
  return addresses;
}

function lookUp(host: string): Promise<LookupAddress[]> {
  return dnsLookup(host, { all: true });
}

/** Returns the target of a redirect, or null if the response is none. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.includes(statusCode) || location === undefined) return null;
  const target = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') throw new CannotOpen('bad redirect');
  return target;
}

/** Stops waiting for a promise when the signal aborts. A DNS look-up can't be cancelled. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
