import { readConfig, writeConfig } from '../../config.ts';
import { type HomeServer, SERVER_STATE, type ServerState } from '../../protocol.ts';

/** Returns the server that is to answer in place of this browser. The service worker reads the same. */
export async function readHomeServer(): Promise<HomeServer | null> {
  return (await readConfig()).server;
}

export async function keepHomeServer(server: HomeServer | null): Promise<void> {
  await writeConfig({ ...(await readConfig()), server });
}

/** Asks the service worker whether the server answers; null if there is none. */
export async function askServerState(): Promise<ServerState | null> {
  const response = await fetch('/health', { cache: 'no-store' });
  await response.body?.cancel();
  return response.headers.get(SERVER_STATE) as ServerState | null;
}
