import { BlockList, isIPv4 } from 'node:net';

/** Networks that are not on the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_IPV4: [network: string, bits: number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // between a carrier and its customers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and the metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocols
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays into IPv6
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/**
 * The public internet in IPv6. Loopback, link-local, unique local, multicast, IPv4-mapped and translated addresses lie
 * outside of it: https://www.iana.org/assignments/ipv6-address-space
 */
const GLOBAL_IPV6: [network: string, bits: number] = ['2000::', 3];

/** Special networks within it: https://www.iana.org/assignments/iana-ipv6-special-registry */
const SPECIAL_IPV6: [network: string, bits: number][] = [
  ['2001::', 23], // protocols, tunnels to IPv4 among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // IPv4 addresses in another guise
  ['3fff::', 20], // documentation
];

const special = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6');
const global = new BlockList();
global.addSubnet(...GLOBAL_IPV6, 'ipv6');

/** True if an IP address is on the public internet, and so belongs neither to this machine nor to its own networks. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
