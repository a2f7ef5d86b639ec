import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../src/contract/json-schema.ts';
import { checkValue } from '../../src/grammar/check/check.ts';
import { createSchemaGrammar } from '../../src/grammar/schema-grammar.ts';
import { makeRandom } from '../kit/random.ts';
import { sample } from '../support/repeats.ts';
import { parseGrammar } from './gbnf.ts';
import { createWriter } from './gbnf-writer.ts';

const { iso } = z;

/** What zod can say, each with a name. */
const types: Record<string, z.ZodType> = {
  email: z.email(),
  'email of 50 characters': z.email().max(50),
  uuid: z.uuid(),
  uuidv4: z.uuidv4(),
  guid: z.guid(),
  url: z.url(),
  emoji: z.emoji(),
  nanoid: z.nanoid(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  xid: z.xid(),
  ksuid: z.ksuid(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  mac: z.mac(),
  hostname: z.hostname(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  jwt: z.jwt(),
  date: iso.date(),
  time: iso.time(),
  datetime: iso.datetime({ offset: true }),
  'local datetime': iso.datetime({ local: true }),
  duration: iso.duration(),
  lowercase: z.string().lowercase(),
  'starts, ends and includes': z.string().startsWith('a.b').includes('-').endsWith('!'),
  'regex with lengths': z
    .string()
    .min(3)
    .max(20)
    .regex(/^[a-z]+$/),
  'template literal': z.templateLiteral(['a-', z.number(), z.enum(['px', 'em'])]),
  integer: z.int(),
  int32: z.int32(),
  float32: z.float32(),
  float64: z.float64(),
  'multiple of 5': z.number().multipleOf(5).min(0).max(1000),
  'step of 0.01': z.number().step(0.01).positive(),
  tuple: z.tuple([z.string(), z.number()]),
  'tuple with rest': z.tuple([z.string()], z.number()),
  record: z.record(z.string(), z.number()),
  'record of listed names': z.record(z.enum(['a', 'b']), z.number()),
  'partial record': z.partialRecord(z.enum(['a', 'b']), z.number()),
  'record of names of a pattern': z.record(z.string().regex(/^x-/), z.string()),
  'loose record': z.looseRecord(z.string().regex(/^x-/), z.string()),
  catchall: z.object({ a: z.string() }).catchall(z.number()),
  'discriminated union': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a') }),
    z.object({ kind: z.literal('b'), value: z.number() }),
  ]),
  xor: z.xor([z.string(), z.number()]),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  literals: z.literal(['a', 1, true, null]),
  nullable: z.string().nullable(),
  json: z.json(),
};

const targets = ['draft-2020-12', 'draft-7'] as const;

/** A schema that only part of the texts obeys, so that the others have to be checked. */
const CHECKED = ['hostname'];

describe.each(targets)('a schema that zod writes as %s', (target) => {
  it.each(sample(Object.entries<z.ZodType>(types)))('is obeyed, as zod itself sees it: %s', (name, type) => {
    const schema = z.toJSONSchema(type, { target, unrepresentable: 'throw' }) as JsonSchema;
    const { rules, rule, isPartial } = createSchemaGrammar(schema, { param: 'schema' });
    const write = createWriter(parseGrammar(rules), rule, 6);
    const random = makeRandom(1);
    // One assertion for all texts: an assertion takes longer than to write a text and to check it.
    const valid = Array.from({ length: 60 }, () => write(random)).filter(
      (text) => checkValue(schema, JSON.parse(text)).length === 0,
    );
    expect(valid.filter((text) => !type.safeParse(JSON.parse(text)).success)).toEqual([]);
    expect(isPartial).toBe(CHECKED.includes(name));
    expect(valid.length).toBeGreaterThanOrEqual(isPartial ? 20 : 60);
  });
});

describe.each(['draft-4', 'openapi-3.0'] as const)('a schema that zod writes as %s, which says less', (target) => {
  it.each(sample(Object.entries<z.ZodType>(types)))('is accepted: %s', (_, type) => {
    const schema = z.toJSONSchema(type, { target, unrepresentable: 'throw' }) as JsonSchema;
    expect(createSchemaGrammar(schema, { param: 'schema' }).rules).not.toBe('');
  });
});
