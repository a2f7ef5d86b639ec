import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';
import { rmSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { errorReply } from '../../api/http/http.ts';
import { ambiguousFraming } from '../../api/http/refusals.ts';
import type { Exchange, ExchangeHandler, ListenAddress, Listener, ReplyHead, RequestHead } from '../exchange.ts';
import { isAmbiguous } from '../framing.ts';
import type { UwsModule } from './load.ts';

/** The most characters that wait for the end of a turn of the event loop. */
const MOST_UNSENT = 64 * 1024;

/** Serves over uWebSockets.js. Throws if it can't listen there, without the reason, which uWebSockets.js does not tell. */
export async function listenWithUws(uws: UwsModule, place: ListenAddress, serve: ExchangeHandler): Promise<Listener> {
  const { host, port, socket, tls } = place;
  const app = tls ? uws.SSLApp({ cert_file_name: tls.cert, key_file_name: tls.key }) : uws.App();
  const atEndOfTurn = createTurnEnd();
  app.any('/*', (res, req) => {
    const { head, names } = readHead(req);
    if (isAmbiguous(names, head.headers)) refuse(res);
    else void serve(toExchange(res, head, atEndOfTurn));
  });
  const listening = await new Promise<us_listen_socket>((resolve, reject) => {
    const settle = (opened: us_listen_socket | false) => {
      if (opened) resolve(opened);
      else if (socket) reject(new Error(`can't listen on ${socket}`));
      else reject(new Error(`can't listen on ${host}:${port}: the address is in use or not this machine's`));
    };
    if (socket) app.listen_unix(settle, socket);
    else app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, settle);
  });
  return {
    port: uws.us_socket_local_port(listening),
    stopAccepting() {
      // The file goes first: the next server may create its own at this path as soon as this one is closed.
      if (socket) rmSync(socket, { force: true });
      uws.us_listen_socket_close(listening);
    },
    async close() {
      // A reply that was written in this turn of the event loop is still in the buffer of uWebSockets.js.
      await new Promise(setImmediate);
      app.close();
    },
  };
}

/** Calls each task once, at the end of the turn of the event loop in which it was given. */
function createTurnEnd(): (task: () => void) => void {
  let tasks: (() => void)[] = [];
  const run = () => {
    const due = tasks;
    tasks = [];
    for (const task of due) task();
  };
  return (task) => {
    if (tasks.push(task) === 1) setImmediate(run);
  };
}

/**
 * Refuses a request with ambiguous framing and closes the connection. Until then the request stays unanswered: uWebSockets.js closes a
 * connection at once on which a second request comes meanwhile, so no byte after the head is answered as a request.
 */
function refuse(res: HttpResponse): void {
  let gone = false;
  res.onAborted(() => {
    gone = true;
  });
  const { status, headers, body } = errorReply(ambiguousFraming());
  setImmediate(() => {
    if (gone) return;
    res.cork(() => {
      writeHead(res, { status, headers });
      res.end(String(body), true);
    });
  });
}

function toExchange(res: HttpResponse, head: RequestHead, atEndOfTurn: (task: () => void) => void): Exchange {
  let gone = false;
  let tellGone: (() => void) | undefined;
  /** True once the reply has ended or the client has left. Any later use of `res` throws. */
  let over = false;
  let wake: (() => void) | undefined;
  // uWebSockets.js demands this listener before the handler returns.
  res.onAborted(() => {
    over = true;
    gone = true;
    tellGone?.();
    wake?.();
  });
  /**
   * Pieces of a stream that have not been sent. All pieces of one turn of the event loop are sent together: sending costs more than all
   * other work for a token, so a busy server catches up.
   */
  let unsent = '';
  let isFull = false;
  /** Sends all that `write` writes at once, in one system call. */
  const send = (write: () => void) => {
    if (!over) res.cork(write);
  };
  const finish = (write: () => void) =>
    send(() => {
      over = true;
      write();
    });

  const flush = () => {
    if (unsent === '') return;
    const pieces = unsent;
    unsent = '';
    send(() => {
      isFull = !res.write(pieces);
    });
  };

  return {
    head,
    isGone: () => gone,
    onGone: (listener) => {
      tellGone = listener;
    },
    onBody: (take) => void res.onData((piece, isLast) => take(new Uint8Array(piece), isLast)),
    reply(replyHead, body) {
      finish(() => {
        writeHead(res, replyHead);
        if (body === null) res.endWithoutBody();
        // uWebSockets.js answers nothing more on this connection, so it is closed.
        else if (head.method === 'HEAD') res.endWithoutBody(Buffer.byteLength(body), true);
        else res.end(body);
      });
    },
    begin(replyHead) {
      send(() => {
        writeHead(res, replyHead);
        res.onWritable(() => {
          isFull = false;
          wake?.();
          return true;
        });
      });
    },
    write(piece) {
      if (unsent === '') atEndOfTurn(flush);
      unsent += piece;
      // A source that always has a next piece ready would never end the turn.
      if (unsent.length > MOST_UNSENT) flush();
      return !isFull;
    },
    drained: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (over || !isFull) resolve();
      }),
    end: () =>
      finish(() => {
        if (unsent === '') res.end();
        else res.end(unsent);
        unsent = '';
      }),
  };
}

/** Returns the head, and the names of all headers. Must be called before the handler returns: `req` is invalid afterwards. */
function readHead(req: HttpRequest): { head: RequestHead; names: string[] } {
  const [method, path, query] = [req.getMethod().toUpperCase(), req.getUrl(), req.getQuery() ?? ''];
  const headers: Record<string, string> = {};
  const names: string[] = [];
  let bytes = path.length + query.length;
  req.forEach((name, value) => {
    headers[name] = value;
    names.push(name);
    bytes += name.length + value.length;
  });
  return { head: { method, path, query, headers, bytes }, names };
}

function writeHead(res: HttpResponse, { status, headers }: ReplyHead): void {
  // uWebSockets.js writes 200 by itself.
  if (status !== 200) res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
  for (const name of Object.keys(headers)) res.writeHeader(name, headers[name] ?? '');
}
