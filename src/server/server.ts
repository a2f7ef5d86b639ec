import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';
import type { Api } from '../core/api/http/http.ts';
import { sendReply } from './reply.ts';
import { toApiRequest } from './request.ts';
import type { StaticFiles } from './static.ts';
import { loadUws } from './uws.ts';

export interface ServerOptions {
  api: Api;
  /** Static files to serve besides the API. */
  files?: StaticFiles;
  host: string;
  /** 0 picks a free port. */
  port: number;
  bodyLimitBytes: number;
}

export interface Server {
  port: number;
  /** Accepts no more connections, waits up to `graceMs` for running requests, then cuts them off. */
  close(graceMs: number): Promise<void>;
}

/** Serves the API and static files over HTTP. Throws if it can't listen on the address. */
export async function startServer({ api, files, host, port, bodyLimitBytes }: ServerOptions): Promise<Server> {
  const uws = loadUws();
  const app = uws.App();
  let running = 0;
  let idle: (() => void) | undefined;

  const serve = async (res: HttpResponse, req: HttpRequest) => {
    running += 1;
    try {
      if (files?.has(req.getMethod().toUpperCase(), req.getUrl())) await files.send(res, req);
      else await answer(api, res, req, bodyLimitBytes);
    } finally {
      running -= 1;
      if (running === 0) idle?.();
    }
  };
  app.any('/*', (res, req) => void serve(res, req));

  const socket = await new Promise<us_listen_socket>((resolve, reject) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (listening) => {
      if (listening) resolve(listening);
      else reject(new Error(`can't listen on ${host}:${port}: the address is in use or not this machine's`));
    });
  });

  return {
    port: uws.us_socket_local_port(socket),
    async close(graceMs) {
      uws.us_listen_socket_close(socket);
      if (running > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
          setTimeout(resolve, graceMs).unref();
        });
      }
      // A reply that was written in this turn of the event loop is still in the buffer of uWebSockets.js.
      await new Promise(setImmediate);
      app.close();
    },
  };
}

async function answer(api: Api, res: HttpResponse, req: HttpRequest, bodyLimitBytes: number): Promise<void> {
  const gone = new AbortController();
  // uWebSockets.js demands this before anything asynchronous: using the response after an abort is a crash.
  res.onAborted(() => gone.abort());
  const reply = await api(toApiRequest(res, req, bodyLimitBytes, gone.signal));
  await sendReply(res, reply, gone.signal);
}
