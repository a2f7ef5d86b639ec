import type { SchemaCase } from './schema-case.ts';

/** Strings and numbers of several rules at once: patterns with lengths, looks ahead, multiples, excluded values. */
export const texts: SchemaCase[] = [
  {
    name: 'a pattern beside lengths',
    schema: { type: 'string', pattern: '^[a-z]+$', minLength: 3, maxLength: 5 },
    writes: ['abc', 'abcde'],
    refuses: ['ab', 'abcdef', 'ab1'],
  },
  {
    name: 'two patterns',
    schema: { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] },
    writes: ['ab', 'a"b'],
    refuses: ['a', 'b', 'ba'],
  },
  {
    name: 'a pattern that looks ahead',
    schema: { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{4,8}$' },
    writes: ['Abc1', '1aaaaaaZ'],
    refuses: ['abc1', 'Abcd', 'Ab1', 'Ab1-x'],
  },
  {
    name: 'a pattern that must not follow',
    schema: { type: 'string', pattern: '^(?!admin)[a-z]{1,8}$' },
    writes: ['adam', 'user', 'admi'],
    refuses: ['admin', 'admins', ''],
  },
  {
    name: 'a pattern of Unicode letters',
    schema: { type: 'string', pattern: '^\\p{Lu}\\p{Ll}*$' },
    writes: ['É', 'Äpfel'],
    refuses: ['é', 'A1'],
  },
  {
    name: 'a format beside a length',
    schema: { type: 'string', format: 'email', maxLength: 12 },
    writes: ['ada@a.org'],
    refuses: ['ada.lovelace@example.org'],
  },
  {
    name: 'a string that is none of some',
    schema: { type: 'string', not: { enum: ['root', 'admin', ''] } },
    writes: ['roo', 'roots', 'ad'],
    refuses: ['root', 'admin', ''],
  },
  {
    name: 'a string without spaces',
    schema: { type: 'string', not: { type: 'string', pattern: '\\s' }, minLength: 1 },
    writes: ['a', 'a"b'],
    refuses: ['', 'a b', '\n'],
  },
  {
    name: 'an IPv4 address',
    schema: { type: 'string', format: 'ipv4' },
    writes: ['127.0.0.1', '255.255.255.255'],
    refuses: ['256.0.0.1', '1.2.3', '01.2.3.4'],
  },
  {
    name: 'an IPv6 address',
    schema: { type: 'string', format: 'ipv6' },
    writes: ['::', '::1', '2001:db8::8a2e:370:7334', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::'],
    refuses: ['1::2::3', '1:2:3:4:5:6:7:8:9', 'g::'],
  },
  {
    name: 'a host',
    schema: { type: 'string', format: 'hostname' },
    writes: ['example.org', 'a-b.c'],
    refuses: ['-a.org', 'a..b', ''],
  },
  {
    name: 'a duration',
    schema: { type: 'string', format: 'duration' },
    writes: ['P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'P2W'],
    refuses: ['P', 'PT', '1D', 'P1DT'],
  },
  ...['cidrv4', 'cidrv6', 'cuid', 'cuid2', 'ulid', 'nanoid', 'xid', 'ksuid', 'base64', 'byte', 'base64url'].map(
    (format): SchemaCase => ({ name: `a text of the format ${format}`, schema: { type: 'string', format } }),
  ),
  ...['e164', 'jwt', 'emoji', 'mac', 'hex', 'uuid4', 'uuid7', 'json-pointer', 'uri-reference', 'password'].map(
    (format): SchemaCase => ({ name: `a text of the format ${format}`, schema: { type: 'string', format } }),
  ),
  {
    name: 'a multiple of five',
    schema: { type: 'integer', multipleOf: 5, minimum: -20, maximum: 100 },
    writes: [-20, -5, 0, 35, 100],
    refuses: [-25, 3, 101, 105],
  },
  { name: 'a multiple of seven', schema: { type: 'integer', multipleOf: 7 }, writes: [0, -7, 7_000_007], refuses: [8] },
  {
    name: 'a multiple of a thousand',
    schema: { type: 'integer', multipleOf: 1000 },
    writes: [0, 25_000],
    refuses: [500],
  },
  {
    name: 'a multiple of two steps',
    schema: { type: 'integer', minimum: 0, allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] },
    writes: [0, 12, 144],
    refuses: [4, 6, 18],
  },
  {
    name: 'a price',
    schema: { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 1000 },
    writes: [0, 0.07, 19.99, 1000],
    refuses: [0.001, 1000.01, -1],
  },
  {
    name: 'a number in quarters',
    schema: { type: 'number', multipleOf: 0.25 },
    writes: [0, -0.25, 12.5, 3],
    refuses: [0.1, 0.3],
  },
  {
    name: 'a number in halves of 2.5',
    schema: { type: 'number', multipleOf: 2.5 },
    writes: [7.5, 10],
    refuses: [1, 2],
  },
  {
    name: 'an integer that is not zero',
    schema: { type: 'integer', not: { const: 0 }, minimum: -2 },
    writes: [-2, -1, 1, 10],
    refuses: [0],
  },
  {
    name: 'an integer of 32 bits',
    schema: { type: 'integer', format: 'int32', minimum: -5 },
    writes: [-5, 2_147_483_647],
    refuses: [-6, 2_147_483_648],
  },
  {
    name: 'a single-precision number',
    schema: { type: 'number', minimum: -3.4028234663852886e38, maximum: 3.4028234663852886e38, format: 'double' },
    writes: [0, -1.5],
    refuses: [1e39],
  },
  { name: 'anything but null', schema: { not: { type: 'null' } }, writes: [0, '', [null]], refuses: [null] },
  {
    name: 'none of several kinds',
    schema: { type: ['string', 'null', 'integer', 'boolean'], not: { anyOf: [{ type: 'null' }, { const: true }] } },
    writes: ['', 1, false],
    refuses: [null, true],
  },
  {
    name: 'listed values beside other rules',
    schema: { enum: ['a', 'abc', 5, 50], maxLength: 2, maximum: 9, not: { const: 'b' } },
    writes: ['a', 5],
    refuses: ['abc', 50],
  },
];
