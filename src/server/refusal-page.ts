import type { ApiReply } from '../api/http/http.ts';
import type { RequestHead } from './exchange.ts';

/** The page may load and run nothing. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** True if a person opened the address in a browser: browsers ask for HTML then, programs and `fetch` do not. */
export function asksForPage({ method, headers }: RequestHead): boolean {
  return (method === 'GET' || method === 'HEAD') && /(?:^|,)\s*text\/html\b/i.test(headers.accept ?? '');
}

/** Turns the refusal of a host name into a page for the person who opened it. The status and the other headers stay. */
export function hostRefusalPage({ status, headers }: ApiReply, host: string): ApiReply {
  const name = withoutPort(host).slice(0, 200);
  const flag = `--allowed-host ${escaped(shellWord(name))}`;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Paddock does not answer to this name</title>
<h1>Paddock does not answer to this name</h1>
<p>There is a Paddock here, but it was not told that <strong>${escaped(name)}</strong> is one of its names.
Names that it does not know are refused, because other people’s pages could use them to reach your models.</p>
<p>If the server is yours, start it with this name, in the way that you start it:</p>
<pre>npm start -- ${flag}
paddock serve ${flag}</pre>
<p>The variable PADDOCK_ALLOWED_HOSTS and the key allowedHost of the configuration file do the same.
On the server’s own machine, <code>localhost</code> works without that.</p>
</html>
`;
  const own = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };
  return { status, headers: { ...headers, ...own, 'x-content-type-options': 'nosniff' }, body };
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** Returns the name as one word of a command line. It is quoted if it has other characters than a host name. */
function shellWord(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
