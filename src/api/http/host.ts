/** A host's name or address, and then a port. */
const HOST = /^(?<name>\[[\da-f:.]+\]|[^[\]:/@\s]+)(?::\d+)?$/i;

/**
 * Names and addresses of loopback, also IPv4 addresses within IPv6. A name that ends in `.localhost` is always
 * loopback: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const OF_THIS_MACHINE =
  /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:(?:127(?:\.\d{1,3}){3}|7f[\da-f]{2}:[\da-f]{1,4})\])\.?$/i;

/** True if a host, with or without a port, can only be the client's own machine. */
export function isOfThisMachine(host: string): boolean {
  return OF_THIS_MACHINE.test(HOST.exec(host)?.groups?.name ?? '');
}

/**
 * True if this server answers requests with this `Host` header: a loopback name, or a name in `allowed`, with any port.
 * `*` allows all names. A web page can make its own name resolve to this machine (DNS rebinding), and would then have
 * the same origin as this server. But the page can't change the name in the header.
 */
export function isAllowedHost(host: string, allowed: string[]): boolean {
  const name = HOST.exec(host)?.groups?.name?.toLowerCase().replace(/\.$/, '');
  if (allowed.includes('*') || isOfThisMachine(host)) return true;
  return name !== undefined && allowed.some((other) => other.toLowerCase() === name);
}
