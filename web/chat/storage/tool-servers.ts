import type { ToolServer } from '../data/tools/server.ts';
import { readText, writeText } from './safe-storage.ts';

const SERVERS = 'paddock-tool-servers';

/** Reads the tool servers that were added in any tab. */
export function readToolServers(): ToolServer[] {
  try {
    const stored: unknown = JSON.parse(readText('localStorage', SERVERS) ?? '[]');
    return Array.isArray(stored) ? (stored as ToolServer[]) : [];
  } catch {
    return [];
  }
}

/** Keeps them, with their keys, in this browser. Another tab may have changed some: each change begins with what is stored. */
export function keepToolServers(servers: ToolServer[]): void {
  writeText('localStorage', SERVERS, servers.length === 0 ? null : JSON.stringify(servers));
}

/** Calls the listener when another tab has changed them. */
export function followToolServers(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === SERVERS || key === null) listener();
  });
}
