import { readBrowserConfig, writeBrowserConfig } from '../../config.ts';
import { type HomeServer, SERVER_STATE, type ServerState } from '../../protocol.ts';

/**
 * Returns the server that answers in place of this browser; null if there is none. The service worker reads the same
 * entry.
 */
export async function readHomeServer(): Promise<HomeServer | null> {
  return (await readBrowserConfig()).server;
}

/** Stores the server that answers in place of this browser; null for none. */
export async function keepHomeServer(server: HomeServer | null): Promise<void> {
  await writeBrowserConfig({ ...(await readBrowserConfig()), server });
}

/** Asks the service worker if that server answers. Returns null if there is no server. */
export async function askServerState(): Promise<ServerState | null> {
  const response = await fetch('/health', { cache: 'no-store' });
  await response.body?.cancel();
  return response.headers.get(SERVER_STATE) as ServerState | null;
}
