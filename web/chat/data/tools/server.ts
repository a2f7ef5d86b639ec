import { isOfThisMachine } from '../../../../src/core/api/http/host.ts';
import { isCallableOrigin } from '../../../../src/core/api/http/mcp-policy.ts';

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

/** Reads the typed address of a server. `page` is that of the page. Throws an `Error` that says why it can't be called. */
export function readAddress(typed: string, page: string): string {
  const text = typed.trim();
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error('This is no address of the web, such as https://mcp.example.com/mcp.');
  }
  if (url.username || url.password) throw new Error('Put the key into the header, not into the address.');
  if (!isCallableOrigin(url.origin)) {
    throw new Error('A page can’t be allowed to call this host: give a name, or an address such as 192.168.1.5.');
  }
  if (page.startsWith('https:') && url.protocol === 'http:' && !isOfThisMachine(url.host)) {
    throw new Error('This page came by https, so browsers let it call only https, or a server on this machine.');
  }
  url.hash = '';
  return url.href;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Reads a typed header. Returns null if there is none. Throws an `Error` that says what is wrong. */
export function readHeader(name: string, value: string): ToolServer['header'] {
  const [givenName, givenValue] = [name.trim(), value.trim()];
  if (givenValue === '') return null;
  if (!HEADER_NAME.test(givenName)) throw new Error('This is no name of a header, such as Authorization.');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(givenValue)) throw new Error('The value has characters that no header can have.');
  return { name: givenName, value: givenValue };
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
