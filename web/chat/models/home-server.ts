import { isOfThisMachine } from '../../../src/api/http/host.ts';
import type { HomeServer, ServerState } from '../../protocol.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { Translate } from '../messages/translate.ts';

/** The server that a person has chosen, and whether it answers. */
export interface Home {
  server: HomeServer;
  state: ServerState;
}

/**
 * Reads the typed address of a Paddock server. `page` is the address of the page. Throws a `LocalizedError` if it can't
 * be used.
 */
export function readServerAddress(typed: string, page: string): string {
  const text = typed.trim().replace(/\/(?:v1\/?)?$/, '');
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `${schemeFor(text, page)}://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new LocalizedError('home.notAddress');
  if (url.username || url.password) throw new LocalizedError('home.keyApart');
  if (page.startsWith('https:') && url.protocol === 'http:' && !isOfThisMachine(url.host)) {
    throw new LocalizedError('home.httpsOnly');
  }
  return `${url.origin}${url.pathname.replace(/\/?$/, '/')}`;
}

/** Returns the host of a server, for people. */
export function hostOf({ url }: Pick<HomeServer, 'url'>): string {
  return parse(url)?.host ?? url;
}

/**
 * Returns the reason, for people, why this browser answers in place of the server. `origin` is the origin of the page.
 */
export function explainState({ server, state }: Home, origin: string, t: Translate): string {
  const host = hostOf(server);
  if (state !== 'refuses') return t('home.silent', { host });
  const name = parse(server.url)?.hostname ?? host;
  return isOfThisMachine(name) ? t('home.refuses', { host, origin }) : t('home.refusesName', { host, origin, name });
}

function schemeFor(host: string, page: string): string {
  return page.startsWith('http:') || isOfThisMachine(host.replace(/\/.*/, '')) ? 'http' : 'https';
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
