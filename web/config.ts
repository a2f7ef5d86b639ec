import type { BrowserConfig } from './protocol.ts';

// The configuration lies in the Cache API, which pages and the service worker can read without a database schema.
const CACHE = 'paddock-config';
const KEY = '/paddock-config.json';

export const DEFAULT_CONFIG: BrowserConfig = {
  apiKeys: [],
  contentFilter: [],
  maxQueue: 64,
  pingIntervalMs: 10_000,
  server: null,
};

/** Returns the configuration of this origin; `DEFAULT_CONFIG` if none was written. */
export async function readBrowserConfig(storage: CacheStorage = caches): Promise<BrowserConfig> {
  const stored = await (await storage.open(CACHE)).match(KEY);
  return stored ? { ...DEFAULT_CONFIG, ...((await stored.json()) as Partial<BrowserConfig>) } : DEFAULT_CONFIG;
}

/** Replaces the configuration of this origin. It applies from the next request on. */
export async function writeBrowserConfig(config: BrowserConfig, storage: CacheStorage = caches): Promise<void> {
  await (await storage.open(CACHE)).put(KEY, Response.json(config));
}
