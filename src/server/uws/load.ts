import type * as Uws from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { READABLE_HEAD_BYTES } from '../exchange.ts';

const require = createRequire(import.meta.url);

/** The newest package first, which needs Node >= 22 and glibc >= 2.38. The older one runs on Node 20 to 23 with glibc >= 2.27. */
const PACKAGES = ['uWebSockets.js-next', 'uWebSockets.js'];

/** The module, with the parts that its own types lack. */
export type UwsModule = Omit<typeof Uws, 'App' | 'SSLApp'> & {
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  App(): UwsApp;
  SSLApp(options: Uws.AppOptions): UwsApp;
};

type UwsApp = Omit<Uws.TemplatedApp, 'listen' | 'listen_unix'> & {
  listen(host: string, port: number, options: number, cb: (socket: Uws.us_listen_socket | false) => void): void;
  listen_unix(cb: (socket: Uws.us_listen_socket | false) => void, path: string): void;
};

/**
 * Loads the uWebSockets.js build that fits this Node and this C library. If none does, throws an error that names both.
 */
export function loadUws(): UwsModule {
  // uWebSockets.js reads this variable once, while it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(READABLE_HEAD_BYTES);
  for (const name of PACKAGES) {
    try {
      return require(name);
    } catch {
      // The next package may have a build for this platform.
    }
  }
  const { glibcVersionRuntime: glibc } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
    .header;
  throw new Error(
    `uWebSockets.js has no binary for Node ${process.version} on ${process.platform}-${process.arch} with ${glibc ? `glibc ${glibc}` : 'no glibc'}. ` +
      'Use Node 20 to 24 and, on Linux, glibc 2.27 or newer (2.38 or newer for Node 24). After a change of Node, install again. ' +
      `If optional packages were left out, add @uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}.`,
  );
}
