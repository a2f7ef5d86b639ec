import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year, month, day] = text.match(/^(\d{4})-(\d\d)-(\d\d)$/)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

function isTime(text: string): boolean {
  const found = text.match(/^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/);
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    found?.slice(1).map((part) => Number(part ?? 0)) ?? [];
  const isInDay = hour < 24 && minute < 60 && second < 60;
  return found !== null && isInDay && offsetHour < 24 && offsetMinute < 60;
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...rest] = text.split('T');
  return rest.length === 0 && isDate(date) && isTime(time) && !Number.isNaN(Date.parse(`${date}T00:00:00Z`));
}

/** Formats as zod reads them, which knows nothing of grammars. */
const ZOD_FORMATS = {
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  hostname: z.hostname(),
  duration: z.iso.duration(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  nanoid: z.nanoid(),
  xid: z.xid(),
  ksuid: z.ksuid(),
  base64: z.base64(),
  byte: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  jwt: z.jwt(),
  emoji: z.emoji(),
  mac: z.mac(),
  hex: z.hex(),
  uuid4: z.uuidv4(),
  uuid7: z.uuidv7(),
};

const ANNOTATIONS = ['strict', 'example', 'x-order', 'discriminator', 'markdownDescription'];

/** A number times 10^400, exactly as it is written. */
function scaled(value: number): bigint {
  const [, sign, whole, fraction = '', exponent] =
    value.toExponential().match(/^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/) ?? [];
  return BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(400 - fraction.length + Number(exponent));
}

/**
 * Compiles a schema with Ajv in strict mode, without the checks that are mere advice. Tuples are written as in draft 7 if
 * `draft7` is true.
 */
export function createValidator(schema: unknown, draft7 = false): ValidateFunction {
  const ajv = draft7 ? forDraft7() : forDraft2020();
  const own = typeof schema === 'boolean' ? schema : (JSON.parse(JSON.stringify(schema)) as object);
  try {
    return ajv.compile(own);
  } finally {
    // Another schema may have the same `$id`.
    if (typeof own === 'object') ajv.removeSchema(own);
  }
}

const OPTIONS = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowMatchingProperties: true,
};

// To make one takes longer than most schemas: Ajv compiles the schema of schemas first.
const forDraft7 = once(() => withOurWords(new Ajv(OPTIONS)));
const forDraft2020 = once(() => withOurWords(new Ajv2020(OPTIONS)));

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Adds the formats and annotations that schemas here have, and an exact `multipleOf`. */
function withOurWords<Version extends Ajv | Ajv2020>(ajv: Version): Version {
  // Ajv divides doubles: 0.07 / 0.01 is 7.000000000000001.
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    validate: (step: number, value: number) => scaled(value) % scaled(step) === 0n,
  });
  for (const keyword of ANNOTATIONS) ajv.addKeyword(keyword);
  ajv.addFormat('date', isDate);
  ajv.addFormat('time', isTime);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/);
  ajv.addFormat('uri', (value: string) => URL.canParse(value));
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  for (const [name, type] of Object.entries(ZOD_FORMATS)) {
    ajv.addFormat(name, (value: string) => type.safeParse(value).success);
  }
  for (const name of ['json-pointer', 'uri-reference', 'regex', 'password', 'int32', 'int64', 'double']) {
    ajv.addFormat(name, true);
  }
  return ajv;
}
