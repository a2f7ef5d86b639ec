import * as v from 'valibot';
import { between, integer as integerNumber, oneOf } from '../../api/fields/fields.ts';
import { UsageError } from '../errors.ts';

/** Accepts an integer, or its digits as a text from a flag or a variable. */
export function integer(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be an integer between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/, message))], message),
    v.transform(Number),
    integerNumber(min, max),
  );
}

/** Accepts a number, or its digits as a text from a flag. */
export function decimal(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be a number between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?(\d+\.?\d*|\.\d+)$/, message))], message),
    v.transform(Number),
    between(min, max),
  );
}

export const text = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'));

/** Accepts a list of texts, or a single text as a list of one. */
export const texts = v.pipe(
  v.union([v.string(), v.array(v.string())], 'must be a text or a list of texts'),
  v.transform((given) => (typeof given === 'string' ? [given] : given)),
  v.check((list) => !list.includes(''), 'must not be empty'),
);

export const httpUrl = v.pipe(
  v.string('must be a URL'),
  v.regex(/^https?:\/\//, 'must be a URL that begins with http:// or https://'),
  v.url('must be a URL'),
);

export const switchedOn = v.union(
  [
    v.boolean(),
    v.pipe(
      v.picklist(['1', 'true']),
      v.transform(() => true),
    ),
    v.pipe(
      v.picklist(['0', 'false']),
      v.transform(() => false),
    ),
  ],
  'must be true or false',
);

export const backend = oneOf(['auto', 'gpu', 'cpu', 'wasm']);
export const logFormat = oneOf(['auto', 'json', 'pretty']);
export const reach = oneOf(['none', 'inference', 'all']);
export const level = oneOf(['debug', 'info', 'warn', 'error', 'silent']);

/** Returns a value that a flag, a variable or a file has. `origin` names that in the `UsageError` for a wrong one. */
export function readValue<T>(schema: v.GenericSchema<unknown, T>, value: unknown, origin: string): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new UsageError(`${origin} ${result.issues[0].message}`);
}
