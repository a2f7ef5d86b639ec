import { isOfThisMachine } from '../../../src/api/http/host.ts';
import { isCallableOrigin } from '../../../src/api/http/mcp-policy.ts';
import { Problem } from '../messages/problem.ts';

/** A server of tools, by the Model Context Protocol, that a person has added. It is kept in this browser. */
export interface ToolServer {
  id: string;
  url: string;
  /** What it is sent with every request, such as its key. */
  header: { name: string; value: string } | null;
  /** The name that it gives itself; '' before it was reached. */
  title: string;
  /** The tools that it had when it was last asked. */
  tools: ServerTool[];
  /** The names of those that models are not told of. */
  off: string[];
}

export interface ServerTool {
  name: string;
  description: string;
  /** A JSON schema of its arguments. */
  parameters: Record<string, unknown>;
}

/** What is known of the way to a server; it was not asked yet if there is none. */
export type Link = { kind: 'connecting' } | { kind: 'ready' } | { kind: 'failed'; message: string };

/** The host by which people know a server. */
export function placeOf({ url }: Pick<ToolServer, 'url'>): string {
  return parse(url)?.host ?? url;
}

/** Reads the typed address of a server. `page` is that of the page. Throws a `Problem`. */
export function readAddress(typed: string, page: string): string {
  const text = typed.trim();
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Problem('tools.notAddress');
  }
  if (url.username || url.password) throw new Problem('tools.keyInHeader');
  if (!isCallableOrigin(url.origin)) {
    throw new Problem('tools.notCallable');
  }
  if (page.startsWith('https:') && url.protocol === 'http:' && !isOfThisMachine(url.host)) {
    throw new Problem('home.httpsOnly');
  }
  url.hash = '';
  return url.href;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Reads a typed header. Returns null if there is none. Throws a `Problem`. */
export function readHeader(name: string, value: string): ToolServer['header'] {
  const [givenName, givenValue] = [name.trim(), value.trim()];
  if (givenValue === '') return null;
  if (!HEADER_NAME.test(givenName)) throw new Problem('tools.notHeader');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(givenValue)) throw new Problem('tools.badValue');
  return { name: givenName, value: givenValue };
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
