import { isOfThisMachine } from '../../../src/api/http/host.ts';
import { isCallableOrigin } from '../../../src/api/http/mcp-policy.ts';
import type { KnownServer, ServerAddress } from '../../mcp/messages.ts';
import { LocalizedError } from '../messages/problem.ts';

/**
 * An MCP server that a person has added, as this browser stores it. Its title and its tools are the ones of the last
 * connection: `''` and none before the first.
 */
export interface ToolServer extends ServerAddress, KnownServer {
  id: string;
  /** The names of the tools that are switched off: models do not get them. */
  off: string[];
}

/** The state of the connection to a server. A server without one was not asked yet. */
export type ToolServerState = { kind: 'connecting' } | { kind: 'ready' } | { kind: 'failed'; message: string };

/** Returns the host of a server, by which people know it. */
export function placeOf({ url }: Pick<ToolServer, 'url'>): string {
  return parse(url)?.host ?? url;
}

/**
 * Reads the typed address of a server. `page` is the address of the page. Throws a `LocalizedError` if it can't be
 * used.
 */
export function readAddress(typed: string, page: string): string {
  const text = typed.trim();
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new LocalizedError('tools.notAddress');
  }
  if (url.username || url.password) throw new LocalizedError('tools.keyInHeader');
  if (!isCallableOrigin(url.origin)) {
    throw new LocalizedError('tools.notCallable');
  }
  if (page.startsWith('https:') && url.protocol === 'http:' && !isOfThisMachine(url.host)) {
    throw new LocalizedError('home.httpsOnly');
  }
  url.hash = '';
  return url.href;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Reads a typed header. Returns null if its value is empty. Throws a `LocalizedError` if it is not a valid header. */
export function readHeader(name: string, value: string): ServerAddress['header'] {
  const [givenName, givenValue] = [name.trim(), value.trim()];
  if (givenValue === '') return null;
  if (!HEADER_NAME.test(givenName)) throw new LocalizedError('tools.notHeader');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(givenValue)) throw new LocalizedError('tools.badValue');
  return { name: givenName, value: givenValue };
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
