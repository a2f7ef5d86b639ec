import type { Listen } from './exchange.ts';
import { listenWithNode } from './node-http/listen.ts';
import { listenWithUws } from './uws/listen.ts';
import { loadUws } from './uws/load.ts';

/** What speaks HTTP: uWebSockets.js, or Node's own server, which runs wherever Node does but takes more of the processor. */
export interface Http {
  name: 'uWebSockets.js' | 'node:http';
  listen: Listen;
  /** Why it is not the faster one, and what that needs; null if it is. */
  reason: string | null;
}

/** Picks the HTTP server: uWebSockets.js where it has a binary for this machine. `node` asks for the other one, for tests. */
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
