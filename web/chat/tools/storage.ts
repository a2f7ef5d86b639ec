import * as v from 'valibot';
import { readStoredText, writeStoredText } from '../state/safe-storage.ts';
import type { ToolServer } from './server.ts';

const SERVERS = 'paddock-tool-servers';

const serverSchema: v.GenericSchema<unknown, ToolServer> = v.object({
  id: v.string(),
  url: v.string(),
  header: v.nullable(v.object({ name: v.string(), value: v.string() })),
  title: v.string(),
  tools: v.array(
    v.object({ name: v.string(), description: v.string(), parameters: v.record(v.string(), v.unknown()) }),
  ),
  off: v.array(v.string()),
});

/** Returns the stored tool servers. Invalid entries, for example of another version of the page, are left out. */
export function readToolServers(): ToolServer[] {
  try {
    const stored: unknown = JSON.parse(readStoredText('localStorage', SERVERS) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((one) => {
      const read = v.safeParse(serverSchema, one);
      return read.success ? [read.output] : [];
    });
  } catch {
    return [];
  }
}

/** Stores the tool servers with their keys. Read the stored ones first: another tab may have changed them. */
export function keepToolServers(servers: ToolServer[]): void {
  writeStoredText('localStorage', SERVERS, servers.length === 0 ? null : JSON.stringify(servers));
}

/** Calls the listener when another tab has changed the tool servers. */
export function followToolServers(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === SERVERS || key === null) listener();
  });
}
