import type { Listen } from './exchange.ts';
import { listenWithNode } from './node-http/listen.ts';
import { listenWithUws } from './uws/listen.ts';
import { loadUws } from './uws/load.ts';

/** An implementation of HTTP: uWebSockets.js, or Node's own server, which runs wherever Node does but takes more CPU time. */
export interface Http {
  name: 'uWebSockets.js' | 'node:http';
  listen: Listen;
  /** Why uWebSockets.js is not used, and what it would need; null if it is used. */
  reason: string | null;
}

/** Chooses the HTTP server: uWebSockets.js if it has a binary for this machine. Tests choose Node's server by `node`. */
export function chooseHttp(wanted = process.env.PADDOCK_HTTP): Http {
  if (wanted === 'node') return withNode('PADDOCK_HTTP asks for it');
  try {
    const uws = loadUws();
    return { name: 'uWebSockets.js', listen: (...of) => listenWithUws(uws, ...of), reason: null };
  } catch (error) {
    return withNode(error instanceof Error ? error.message : String(error));
  }
}

function withNode(reason: string): Http {
  return { name: 'node:http', listen: listenWithNode, reason };
}
