import { randomBytes } from 'node:crypto';
import type { Config } from '../config/settings.ts';
import { type Client, createClient } from './client.ts';

/** Where a command that needs a server looks for one. */
export interface Wanted {
  /** The server to ask; without one it is this machine's at the configured port, or else a new one. */
  url: string | undefined;
  /** The key to send; without one the first that is configured, to this machine's own server alone. */
  key: string | undefined;
  /** Never asks a running server, since the command line says what the new one is to be like. */
  own: boolean;
  config: Config;
}

/** A server that answers. Disposing stops it where it was started for this command. */
export interface Reached extends AsyncDisposable {
  client: Client;
  /** Whether it was started for this command, in this process. */
  own: boolean;
}

const HEALTH_TIMEOUT_MS = 1000;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Finds the server to talk to, or starts one on a free port of loopback that nobody else can use. */
export async function reachServer({ url, key, own, config }: Wanted): Promise<Reached> {
  if (url !== undefined) return borrowed(url.replace(/\/+(v1\/*)?$/, ''), key);
  const local = localUrl(config);
  if (!own && (await isPaddock(local))) return borrowed(local, key ?? config.apiKey[0]);
  return startOwn(config);
}

function borrowed(url: string, key: string | undefined): Reached {
  return { client: createClient(url, key), own: false, [Symbol.asyncDispose]: async () => {} };
}

async function startOwn(config: Config): Promise<Reached> {
  const [{ startPaddock }, { createLog }] = await Promise.all([import('../serve.ts'), import('../log.ts')]);
  const key = randomBytes(16).toString('hex');
  const own = { ...config, host: '127.0.0.1', port: 0, apiKey: [key] };
  const { url, stop } = await startPaddock(own, createLog('silent'));
  return { client: createClient(url, key), own: true, [Symbol.asyncDispose]: () => stop(0) };
}

export function localUrl({ host, port }: Config): string {
  const reachable = EVERY_ADDRESS.includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Whether the server there is a Paddock: others may have the port. */
export async function isPaddock(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const health = (await response.json()) as { status?: unknown; models?: unknown };
    return health.status === 'ok' && Array.isArray(health.models);
  } catch {
    return false;
  }
}
