import type { BrowserConfig } from './protocol.ts';

// It lies in the Cache API, because pages and the service worker can both read that, without a schema.
const CACHE = 'paddock-config';
const KEY = '/paddock-config.json';

export const DEFAULT_CONFIG: BrowserConfig = {
  apiKeys: [],
  contentFilter: [],
  maxQueue: 64,
  pingIntervalMs: 10_000,
  server: null,
};

/** This origin's configuration; the defaults if none was ever written. */
export async function readConfig(storage: CacheStorage = caches): Promise<BrowserConfig> {
  const stored = await (await storage.open(CACHE)).match(KEY);
  return stored ? { ...DEFAULT_CONFIG, ...((await stored.json()) as Partial<BrowserConfig>) } : DEFAULT_CONFIG;
}

/** Replaces this origin's configuration; it holds from the next request on. */
export async function writeConfig(config: BrowserConfig, storage: CacheStorage = caches): Promise<void> {
  await (await storage.open(CACHE)).put(KEY, Response.json(config));
}
