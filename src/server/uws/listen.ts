import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';
import { rmSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { Exchange, Listener, Place, ReplyHead, RequestHead, Serve } from '../exchange.ts';
import type { UwsModule } from './load.ts';

/** Serves over uWebSockets.js. Throws if it can't listen there; it does not tell why. */
export async function listenWithUws(uws: UwsModule, place: Place, serve: Serve): Promise<Listener> {
  const { host, port, socket, tls } = place;
  const app = tls ? uws.SSLApp({ cert_file_name: tls.cert, key_file_name: tls.key }) : uws.App();
  app.any('/*', (res, req) => void serve(toExchange(res, req)));
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
      // First the file: the next server may put its own there as soon as nobody listens on this one.
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

function toExchange(res: HttpResponse, req: HttpRequest): Exchange {
  const head = readHead(req);
  const gone = new AbortController();
  /** Any use of the response after this is a crash. */
  let over = false;
  let wake: (() => void) | undefined;
  // Mandatory before anything asynchronous.
  res.onAborted(() => {
    over = true;
    gone.abort();
    wake?.();
  });
  /** Sends what is written in one go, and at once. */
  const send = (write: () => void) => {
    if (!over) res.cork(write);
  };
  const finish = (write: () => void) =>
    send(() => {
      over = true;
      write();
    });

  return {
    head,
    gone: gone.signal,
    onBody: (take) => void res.onData((piece, isLast) => take(new Uint8Array(piece), isLast)),
    reply(replyHead, body) {
      finish(() => {
        writeHead(res, replyHead);
        if (body === null) res.endWithoutBody();
        // The connection is closed: uWebSockets.js answers nothing more on it.
        else if (head.method === 'HEAD') res.endWithoutBody(Buffer.byteLength(body), true);
        else res.end(body);
      });
    },
    begin(replyHead) {
      send(() => {
        writeHead(res, replyHead);
        res.onWritable(() => {
          wake?.();
          return true;
        });
      });
    },
    write(piece) {
      let drained = true;
      send(() => {
        drained = res.write(piece);
      });
      return drained;
    },
    drained: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (over) resolve();
      }),
    end: () => finish(() => res.end()),
  };
}

/** uWebSockets.js takes the request back after this turn. */
function readHead(req: HttpRequest): RequestHead {
  const [method, path, query] = [req.getMethod().toUpperCase(), req.getUrl(), req.getQuery() ?? ''];
  const headers: Record<string, string> = {};
  let bytes = path.length + query.length;
  req.forEach((name, value) => {
    headers[name] = value;
    bytes += name.length + value.length;
  });
  return { method, path, query, headers, bytes };
}

function writeHead(res: HttpResponse, { status, headers }: ReplyHead): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
  for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value);
}
