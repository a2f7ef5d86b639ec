import { randomBytes } from 'node:crypto';
import { withKeysOfFile } from '../../serve/config/key-file.ts';
import type { Config } from '../../serve/config/settings.ts';
import { createServerClient, type ServerClient } from './client.ts';

/** The server that a command wants to talk to. */
export interface WantedServer {
  /**
   * The URL of the server. If undefined, this machine's server at the configured port is asked; if none runs there, a
   * new one starts.
   */
  url: string | undefined;
  /** The key to send. If undefined, the first configured key is sent, but only to this machine's own server. */
  key: string | undefined;
  /** True if flags describe a new server. A running server is never used then. */
  own: boolean;
  config: Config;
}

/** A server that answers. Disposing it stops the server if this command started it. */
export interface ReachedServer extends AsyncDisposable {
  client: ServerClient;
  /** True if this command started the server, in this process. */
  own: boolean;
}

const ANSWER_TIMEOUT_MS = 1000;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/**
 * Finds the server to talk to. If none runs, starts one on a free loopback port with a random key, so that no other
 * program can use it. Throws an `Error` if the server at `url` does not answer.
 */
export async function reachServer({ url, key, own, config }: WantedServer): Promise<ReachedServer> {
  if (url !== undefined) return borrowed(baseOf(url), key);
  const local = localUrl(config);
  if (!own && (await isPaddock(local))) return borrowed(local, key ?? withKeysOfFile(config).apiKey[0]);
  return startOwn(config);
}

/** Returns the client of a server that runs already. Throws an `Error` if none answers. */
export async function runningServer({ url, key, config }: WantedServer): Promise<ServerClient> {
  if (url !== undefined) return borrowed(baseOf(url), key).client;
  const local = localUrl(config);
  if (await isPaddock(local)) return borrowed(local, key ?? withKeysOfFile(config).apiKey[0]).client;
  throw new Error(`no Paddock answers at ${local}: start one with paddock serve, or name one with --url`);
}

/** Returns the URL of a server without slashes and a `/v1` at its end. */
function baseOf(url: string): string {
  return url.replace(/\/+(v1\/*)?$/, '');
}

function borrowed(url: string, key: string | undefined): ReachedServer {
  return { client: createServerClient(url, key), own: false, [Symbol.asyncDispose]: async () => {} };
}

async function startOwn(config: Config): Promise<ReachedServer> {
  const [{ startPaddockServer }, { createLog }] = await Promise.all([
    import('../../serve/serve.ts'),
    import('../../serve/log.ts'),
  ]);
  const key = randomBytes(16).toString('hex');
  const own = ownConfig(config, key);
  const { url, stop } = await startPaddockServer(own, createLog(own));
  return { client: createServerClient(url, key), own: true, [Symbol.asyncDispose]: () => stop(0) };
}

/**
 * Returns the configuration of a server that a command starts for itself: it listens on the loopback address, needs
 * `key`, reports nothing to other programs, preloads no model, and runs no batches and no tools.
 */
export function ownConfig(config: Config, key: string): Config {
  return {
    ...config,
    host: '127.0.0.1',
    port: 0,
    socket: undefined,
    tlsCert: undefined,
    tlsKey: undefined,
    apiKey: [key],
    apiKeyFile: undefined,
    keys: undefined,
    mcp: undefined,
    openMetrics: false,
    preload: [],
    noBatches: true,
    otlpEndpoint: undefined,
    logLevel: 'silent',
  };
}

/** Returns the URL of a server with this configuration for programs on this machine. */
export function localUrl({ host, port, tlsCert }: Config): string {
  const reachable = EVERY_ADDRESS.includes(host) ? '127.0.0.1' : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** True if a Paddock answers at the URL. Another program may use the port. */
export async function isPaddock(url: string): Promise<boolean> {
  try {
    // /openapi.json needs no key and names the program, unlike /health.
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    return info?.title === 'Paddock';
  } catch {
    return false;
  }
}
