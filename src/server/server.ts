import { isAllowedHost } from '../api/http/host.ts';
import type { Api } from '../api/http/http.ts';
import { headersTooLarge, hostNotAllowed } from '../api/http/refusals.ts';
import { type ApiError, shuttingDown } from '../contract/errors.ts';
import { type Bodies, type BodyLimits, createBodies } from './bodies.ts';
import { createEnding, type Ending } from './ending.ts';
import {
  type Exchange,
  type ExchangeHandler,
  HEAD_LIMIT_BYTES,
  type ListenAddress,
  type RequestHead,
} from './exchange.ts';
import { chooseHttp, type Http } from './http.ts';
import { asksForPage, hostRefusalPage } from './refusal-page.ts';
import { LARGE_REPLY, sendReply } from './reply.ts';
import { toApiRequest } from './request.ts';
import { clearSocket, openToGroup } from './socket.ts';
import type { StaticFiles } from './static.ts';

export interface HttpServerOptions extends ListenAddress {
  api: Api;
  /** Static files to serve besides the API. */
  files?: StaticFiles;
  /** The names that the `Host` header of a request may have, besides the names of this machine; null allows any. */
  allowedHosts: string[] | null;
  bodyLimits: BodyLimits;
  /** By default the fastest HTTP server that runs here. */
  http?: Http;
}

export interface Server {
  /** 0 or below for a Unix socket. */
  port: number;
  /**
   * Accepts connections for another `lameDuckMs`, then no more. Requests that still run after `graceMs`, counted from the call, are
   * ended with an error. Resolves a second later at most, however slowly clients read. Later calls wait for the same end.
   */
  close(graceMs: number, lameDuckMs?: number): Promise<void>;
}

/** How long clients may take to read the error that ends their request, in ms. */
const LAST_WORDS_MS = 1000;

/** Serves the API and static files over HTTP. Throws if it can't listen there. */
export async function startHttpServer(options: HttpServerOptions): Promise<Server> {
  const { api, files, socket, allowedHosts, bodyLimits, http = chooseHttp() } = options;
  const bodies = createBodies(bodyLimits);
  /** The endings of all requests that run. */
  const running = new Set<Ending>();
  let idle: (() => void) | undefined;

  const serve: ExchangeHandler = async (exchange) => {
    const ending = createEnding();
    running.add(ending);
    try {
      const refusal = refusalOf(exchange.head, allowedHosts);
      if (!refusal && files?.has(exchange.head)) {
        const { body, ...head } = await files.reply(exchange.head);
        exchange.reply(head, body);
      } else await answer(api, exchange, bodies, ending, refusal);
    } finally {
      running.delete(ending);
      if (running.size === 0) idle?.();
    }
  };
  const idleWithin = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      idle = () => {
        clearTimeout(timer);
        resolve();
      };
      if (running.size === 0) idle();
    });

  if (socket) await clearSocket(socket);
  const listener = await http.listen(options, serve);
  if (socket) openToGroup(socket);
  const close = async (graceMs: number, lameDuckMs: number) => {
    if (lameDuckMs > 0) await new Promise((resolve) => setTimeout(resolve, lameDuckMs));
    listener.stopAccepting();
    await idleWithin(graceMs - lameDuckMs);
    for (const ending of running) ending.abort(shuttingDown());
    await idleWithin(LAST_WORDS_MS);
    await listener.close();
  };
  let closing: Promise<void> | undefined;
  return {
    port: listener.port,
    close(graceMs, lameDuckMs = 0) {
      closing ??= close(graceMs, lameDuckMs);
      return closing;
    },
  };
}

/** Returns the error for a request that neither the API nor the files may answer; undefined if they may. */
function refusalOf({ headers, bytes }: RequestHead, allowedHosts: string[] | null): ApiError | undefined {
  if (bytes > HEAD_LIMIT_BYTES) return headersTooLarge(HEAD_LIMIT_BYTES);
  const { host = '' } = headers;
  return allowedHosts === null || isAllowedHost(host, allowedHosts) ? undefined : hostNotAllowed(host);
}

/**
 * Answers a request with the API, which answers a refused request with `refusal`. `ending` ends the work of the API when the client leaves
 * or the server closes; the client gets its reason as the error if it is still there.
 */
async function answer(
  api: Api,
  exchange: Exchange,
  bodies: Bodies,
  ending: Ending,
  refusal: ApiError | undefined,
): Promise<void> {
  exchange.onGone(() => ending.abort());
  const body = bodies.open(exchange.head.headers['content-length']);
  try {
    const reply = await api(toApiRequest(exchange, body, ending, refusal));
    const { head } = exchange;
    if (typeof reply.body === 'string' && reply.body.length > LARGE_REPLY) body.holdReply(reply.body.length);
    const isForPerson = refusal?.data.code === 'host_not_allowed' && asksForPage(head);
    await sendReply(exchange, isForPerson ? hostRefusalPage(reply, head.headers.host ?? '') : reply);
  } finally {
    body.close();
  }
}
