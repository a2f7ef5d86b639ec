import { isOfThisMachine } from '../../../src/core/api/http/host.ts';
import type { HomeServer, ServerState } from '../../protocol.ts';

/** The server that a person has given, and whether it answers. */
export interface Home {
  server: HomeServer;
  state: ServerState;
}

/** Reads the typed address of a Paddock server. `page` is that of the page. Throws an `Error` for people. */
export function readServerAddress(typed: string, page: string): string {
  const text = typed.trim().replace(/\/(?:v1\/?)?$/, '');
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `${schemeFor(text, page)}://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('This is no address, such as https://paddock.example.');
  if (url.username || url.password) throw new Error('Put the key into its own field.');
  if (page.startsWith('https:') && url.protocol === 'http:' && !isOfThisMachine(url.host)) {
    throw new Error('This page came by https, so browsers let it call only https, or a server on this machine.');
  }
  return `${url.origin}${url.pathname.replace(/\/?$/, '/')}`;
}

export function hostOf({ url }: Pick<HomeServer, 'url'>): string {
  return parse(url)?.host ?? url;
}

/** Says why this browser answers in place of the server. `origin` is that of the page. */
export function explainState({ server, state }: Home, origin: string): string {
  const host = hostOf(server);
  if (state !== 'refuses') return `${host} does not answer. Replies come from it again as soon as it does.`;
  const name = parse(server.url)?.hostname ?? host;
  return (
    `${host} answers, but does not let this page call it. Its owner has to start it with --cors-origin ${origin}` +
    `${isOfThisMachine(name) ? '' : `, and with --allowed-host ${name} if it does not know that name`}.`
  );
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
