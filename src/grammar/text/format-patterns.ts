const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `${OCTET}(\\.${OCTET}){3}`;
const GROUP = '[0-9a-f]{1,4}';

/** All eight groups, or up to seven with `::` in one place. */
const IPV6 = [
  `${GROUP}(:${GROUP}){7}`,
  ...Array.from({ length: 8 }, (_, left) => {
    const before = left === 0 ? '' : `${GROUP}(:${GROUP}){${left - 1}}`;
    const after = left === 7 ? '' : `(${GROUP}(:${GROUP}){0,${6 - left}})?`;
    return `${before}::${after}`;
  }),
].join('|');

const BITS_OF_32 = '(3[0-2]|[12]?\\d)';
const BITS_OF_128 = '(12[0-8]|1[01]\\d|[1-9]?\\d)';

const NAME = '[a-z][a-z0-9]{0,15}(-[a-z0-9]{1,15})?';
const POINTER = '(/[A-Za-z0-9_-]{1,32}){0,8}';

// Durations of ISO 8601 as RFC 3339 has them: no unit is left out between two others.
const DAYS = '(\\d{1,4}D|\\d{1,4}M(\\d{1,4}D)?|\\d{1,4}Y(\\d{1,4}M(\\d{1,4}D)?)?)';
const HOURS = 'T(\\d{1,4}H(\\d{1,4}M(\\d{1,4}S)?)?|\\d{1,4}M(\\d{1,4}S)?|\\d{1,4}S)';

const uuidOf = (version: string) => `^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`;
const uuids = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((version) => [
  [`uuid${version}`, uuidOf(`${version}`)],
  [`uuidv${version}`, uuidOf(`${version}`)],
]);

const BASE64 = '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/** The texts that grammars write for formats of JSON Schema, OpenAPI, pydantic and zod: patterns by name. */
export const FORMAT_PATTERNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(uuids),
  ipv4: `^${IPV4}$`,
  ipv6: `^(${IPV6})$`,
  ipvanyaddress: `^${IPV4}$`,
  ipv4network: `^${IPV4}/${BITS_OF_32}$`,
  ipv6network: `^(${IPV6})/${BITS_OF_128}$`,
  ipvanynetwork: `^${IPV4}/${BITS_OF_32}$`,
  ipv4interface: `^${IPV4}/${BITS_OF_32}$`,
  ipv6interface: `^(${IPV6})/${BITS_OF_128}$`,
  ipvanyinterface: `^${IPV4}/${BITS_OF_32}$`,
  cidrv4: `^${IPV4}/${BITS_OF_32}$`,
  cidrv6: `^(${IPV6})/${BITS_OF_128}$`,
  hostname: `^${NAME}(\\.${NAME}){0,4}$`,
  'idn-hostname': `^${NAME}(\\.${NAME}){0,4}$`,
  'uri-reference': `^(https?://${NAME}\\.[a-z]{2,6})?(/[a-z0-9-]{1,16}){1,4}$`,
  'iri-reference': `^(https?://${NAME}\\.[a-z]{2,6})?(/[a-z0-9-]{1,16}){1,4}$`,
  'json-pointer': `^${POINTER}$`,
  'relative-json-pointer': `^[1-9]?\\d(#|${POINTER})$`,
  duration: `^P(\\d{1,4}W|${DAYS}(${HOURS})?|${HOURS})$`,
  byte: BASE64,
  base64: BASE64,
  base64url: '^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2,3})?$',
  hex: '^[0-9a-f]*$',
  mac: '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$',
  e164: '^\\+[1-9]\\d{6,14}$',
  cuid: '^c[a-z0-9]{24}$',
  cuid2: '^[a-z][a-z0-9]{23}$',
  nanoid: '^[A-Za-z0-9_-]{21}$',
  ulid: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  xid: '^[0-9a-v]{20}$',
  ksuid: '^[0-9A-Za-z]{27}$',
  emoji: '^[\\u{1f600}-\\u{1f64f}]{1,8}$',
  // The first part is the header {"alg":"HS256","typ":"JWT"}.
  jwt: '^eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{43}$',
};

/** Formats that describe the use of a string, with no rule that could be checked. */
export const FREE_FORMATS: ReadonlySet<string> = new Set([
  'binary',
  'char',
  'color',
  'commonmark',
  'decimal',
  'directory-path',
  'file-path',
  'html',
  'markdown',
  'multi-host-uri',
  'multiline',
  'name-email',
  'password',
  'path',
  'phone',
  'text',
  'textarea',
]);

/**
 * Formats of numbers, each with the integers that it allows; null for a format without a rule that could be checked.
 */
export const NUMBER_FORMATS: ReadonlyMap<string, [low: bigint, high: bigint] | null> = new Map([
  ...[8, 16, 32, 64].flatMap((bits): [string, [bigint, bigint]][] => [
    [`int${bits}`, [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]],
    [`uint${bits}`, [0n, 2n ** BigInt(bits) - 1n]],
  ]),
  ...['float', 'double', 'decimal', 'single', 'unix-time', 'time-delta', 'currency', 'percent'].map(
    (name): [string, null] => [name, null],
  ),
]);
