import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Socket } from 'node:net';
import { errorReply } from '../../api/http/http.ts';
import { ambiguousFraming, headersTooLarge, tooManyHeaders } from '../../api/http/refusals.ts';
import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import {
  type Exchange,
  type ExchangeHandler,
  HEAD_LIMIT_BYTES,
  type ListenAddress,
  type Listener,
  READABLE_HEAD_BYTES,
  type RequestHead,
} from '../exchange.ts';
import { isAmbiguous } from '../framing.ts';

/** How long a connection may be silent before and between requests, in ms: as long as with uWebSockets.js. */
const IDLE_MS = 10_000;
/** How long a client may take no byte of a reply that waits for it, in ms: as long as with uWebSockets.js. */
const STALLED_MS = 10_000;
/** How long the connections of finished replies may take to send them when the server closes, in ms. */
const CLOSING_MS = 200;

/** The most headers that uWebSockets.js reads. */
const MOST_HEADERS = 98;

const NO_HTTP = invalidRequest('The request is no HTTP/1.1 with one Host.');
const NOTHING = new Uint8Array();

/** Serves over Node's own HTTP server. Throws if it can't listen there. */
export async function listenWithNode(
  { host, port, socket, tls }: ListenAddress,
  serve: ExchangeHandler,
): Promise<Listener> {
  const options = { maxHeaderSize: READABLE_HEAD_BYTES, keepAliveTimeout: IDLE_MS, headersTimeout: IDLE_MS };
  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    const exchange = toExchange(req, res);
    const fault = faultOf(req, exchange.head);
    if (!fault) return void serve(exchange);
    const { body, ...head } = errorReply(fault);
    exchange.reply({ ...head, headers: { ...head.headers, connection: 'close' } }, String(body));
  };
  const server = tls
    ? createTlsServer({ ...options, cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, onRequest)
    : createServer(options, onRequest);
  server.on('clientError', refuseMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket ? { path: socket } : { host, port, exclusive: true }, resolve);
  });
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    // `server.close` removes the file of a Unix socket too.
    stopAccepting: () => void server.close(),
    async close() {
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function toExchange(req: IncomingMessage, res: ServerResponse): Exchange {
  const head = readHead(req);
  let gone = false;
  let tellGone: (() => void) | undefined;
  const isOver = () => gone || res.writableEnded;
  let wake: (() => void) | undefined;
  res.on('drain', () => wake?.());
  res.once('close', () => {
    if (!res.writableFinished) {
      gone = true;
      tellGone?.();
    }
    wake?.();
  });
  // Without these listeners, a broken connection would end the process. The event `close` follows.
  req.on('error', () => {});
  res.on('error', () => {});

  return {
    head,
    isGone: () => gone,
    onGone: (listener) => {
      tellGone = listener;
    },
    onBody(take) {
      req.on('data', (piece: Buffer) => take(piece, false));
      req.once('end', () => take(NOTHING, true));
    },
    reply({ status, headers }, body) {
      if (isOver()) return;
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
      res.writeHead(status, { ...headers, ...length });
      res.end(body);
    },
    begin({ status, headers }) {
      if (!isOver()) res.writeHead(status, headers);
    },
    write: (piece) => isOver() || res.write(piece),
    drained: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => res.destroy(), STALLED_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (isOver()) wake();
      }),
    end() {
      if (!isOver()) res.end();
    },
  };
}

function readHead({ method = '', url = '', rawHeaders }: IncomingMessage): RequestHead {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const headers: Record<string, string> = {};
  let bytes = path.length + query.length;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    headers[name.toLowerCase()] = value;
    bytes += name.length + value.length;
  }
  return { method, path, query, headers, bytes };
}

/** Returns the error for a request that uWebSockets.js would refuse, so that both servers answer the same requests; else null. */
function faultOf({ httpVersion, rawHeaders }: IncomingMessage, head: RequestHead): ApiError | null {
  if (rawHeaders.length > 2 * MOST_HEADERS) return tooManyHeaders(MOST_HEADERS);
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (httpVersion !== '1.1' || names.filter((name) => name === 'host').length !== 1) return NO_HTTP;
  return isAmbiguous(names, head.headers) ? ambiguousFraming() : null;
}

/** Answers a request that is not HTTP, or whose head is longer than Node reads, with a JSON error instead of an empty reply. */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  // A reply may have begun. A client that is too slow gets no error from uWebSockets.js either.
  if (!socket.writable || socket.bytesWritten > 0 || code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy();
  const error = code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge(HEAD_LIMIT_BYTES) : NO_HTTP;
  const { status, headers, body } = errorReply(error);
  const fields = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(String(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
