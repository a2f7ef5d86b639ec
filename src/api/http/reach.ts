import { isOfThisMachine } from './host.ts';

/**
 * The routes that a web page may call: `none`; with `inference` the routes that run models; with `all` also the routes
 * that load, unload, pull, import and remove models.
 */
export type Reach = 'none' | 'inference' | 'all';

/** The web pages that may call this API, besides the pages that this server serves. */
export interface PageRules {
  /**
   * Origins, such as `https://app.example`, whose pages may call all routes. `*` lets the pages of all other origins
   * run models.
   */
  origins: string[];
  /** The reach of pages served by other programs on this machine, such as a web app under development. */
  local: Reach;
}

/**
 * Returns the reach of a request's sender. A browser sends the origin of the page, and no page can hide or change it.
 * Other programs send no origin, and may call all routes.
 */
export function reachOf(headers: Record<string, string>, { origins, local }: PageRules): Reach {
  const { origin, host, 'sec-fetch-site': site } = headers;
  // Only a browser sends this header, and it is right even behind a proxy that changes the host name.
  if (site === 'same-origin') return 'all';
  if (origin === undefined) return site === 'cross-site' ? 'none' : 'all';
  if (origins.includes(origin)) return 'all';
  const page = /^https?:\/\/([^/@]+)$/.exec(origin)?.[1];
  if (page !== undefined && page === host) return 'all';
  const others = origins.includes('*') ? 'inference' : 'none';
  if (page === undefined || !isOfThisMachine(page)) return others;
  return local === 'none' ? others : local;
}
