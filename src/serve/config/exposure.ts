import { UsageError } from '../errors.ts';
import type { Config } from './settings.ts';

/**
 * Throws a `UsageError` if other machines could reach the server without a key and `--no-auth` is not given. A Unix socket needs no key,
 * since other machines reach it only through a proxy.
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
 * Returns the names that the `Host` header may have besides the names of this machine, or null if it may have any. On loopback some names
 * are always refused, because a web page could let its own name resolve to 127.0.0.1 (DNS rebinding). On other addresses, and on a Unix
 * socket, which no browser opens, all names are allowed unless `--allowed-host` lists some.
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
