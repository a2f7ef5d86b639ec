import { UsageError } from '../errors.ts';
import type { Config } from './settings.ts';

/** Throws a `UsageError` if other machines could reach the server without a key and `--no-auth` is not given. */
export function checkExposure({ host, apiKey, noAuth }: Pick<Config, 'host' | 'apiKey' | 'noAuth'>): void {
  if (isLoopback(host) || apiKey.length > 0 || noAuth) return;
  throw new UsageError(
    `--host ${host} is reachable from other machines: give an --api-key, or --no-auth to serve everyone without one`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
