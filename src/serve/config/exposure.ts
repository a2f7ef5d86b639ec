import { UsageError } from '../errors.ts';
import type { Config } from './settings.ts';

/**
 * Throws a `UsageError` if other machines could reach the server without a key and `--no-auth` is not given. They reach a Unix
 * socket only through a proxy.
 */
export function checkExposure(
  config: Pick<Config, 'host' | 'apiKey' | 'keys' | 'noAuth'> & { socket?: Config['socket'] },
): void {
  const { host, socket, apiKey, keys, noAuth } = config;
  if (socket !== undefined || isLoopback(host) || apiKey.length > 0 || keys !== undefined || noAuth) return;
  throw new UsageError(
    `--host ${host} is reachable from other machines: give an --api-key or --api-key-file, make one with paddock key, or give --no-auth to serve everyone without one`,
  );
}

/**
 * Returns the names in `Host` that the server answers to besides those of this machine, or null if it answers to any. On loopback
 * it never answers to any: a web page could give the address of this machine to a name of its own. Elsewhere it is up to
 * `--allowed-host`. So it is at a Unix socket, which no browser opens: the names are those of the proxy.
 */
export function allowedHosts({
  host,
  socket,
  allowedHost,
}: Pick<Config, 'host' | 'socket' | 'allowedHost'>): string[] | null {
  if (socket !== undefined) return allowedHost.length > 0 ? allowedHost : null;
  if (isLoopback(host)) return allowedHost;
  return allowedHost.length > 0 ? [host, ...allowedHost] : null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
