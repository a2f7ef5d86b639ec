/** A host's name or address, and then a port. */
const HOST = /^(?<name>\[[\da-f:.]+\]|[^[\]:/@\s]+)(?::\d+)?$/i;

/**
 * Names and addresses of loopback, also those of IPv4 within IPv6. What ends in `.localhost` never leads elsewhere:
 * https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const OF_THIS_MACHINE =
  /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:(?:127(?:\.\d{1,3}){3}|7f[\da-f]{2}:[\da-f]{1,4})\])\.?$/i;

/** Says whether a host, with or without a port, can only be the machine that asks for it. */
export function isOfThisMachine(host: string): boolean {
  return OF_THIS_MACHINE.test(HOST.exec(host)?.groups?.name ?? '');
}

/**
 * Says whether a `Host` header is one that this server answers to: one of this machine, or a listed name, with any port. `*` lists
 * all. A web page can give the address of this machine to a name of its own (DNS rebinding), and would then be taken for a page of
 * this server, but it can't hide the name.
 */
export function isAllowedHost(host: string, allowed: string[]): boolean {
  const name = HOST.exec(host)?.groups?.name?.toLowerCase().replace(/\.$/, '');
  if (allowed.includes('*') || isOfThisMachine(host)) return true;
  return name !== undefined && allowed.some((other) => other.toLowerCase() === name);
}
