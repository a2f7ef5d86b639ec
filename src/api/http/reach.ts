import { isOfThisMachine } from './host.ts';

/** What a web page may call: nothing, what asks a model, or also what loads, unloads, pulls, imports and removes models. */
export type Reach = 'none' | 'inference' | 'all';

/** Which web pages may call, besides those that this server itself serves. */
export interface PageRules {
  /** Origins, such as `https://app.example`, whose pages may call everything. `*` lets the pages of all others ask models. */
  origins: string[];
  /** What pages that other programs of this machine serve may call, such as a web app under development. */
  local: Reach;
}

/**
 * What the sender of a request may call. A browser names the origin of the page that asks, and no page can hide or change that.
 * Programs that are no browser name none, and may call everything.
 */
export function reachOf(headers: Record<string, string>, { origins, local }: PageRules): Reach {
  const { origin, host, 'sec-fetch-site': site } = headers;
  // Only the browser can say this, and it knows the server's name even behind a proxy that gives it another one.
  if (site === 'same-origin') return 'all';
  if (origin === undefined) return site === 'cross-site' ? 'none' : 'all';
  if (origins.includes(origin)) return 'all';
  const page = /^https?:\/\/([^/@]+)$/.exec(origin)?.[1];
  if (page !== undefined && page === host) return 'all';
  const others = origins.includes('*') ? 'inference' : 'none';
  if (page === undefined || !isOfThisMachine(page)) return others;
  return local === 'none' ? others : local;
}
