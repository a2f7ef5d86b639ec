import * as v from 'valibot';

/** Accepts an integer, or its digits as a text from a flag or a variable. */
export function integer(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be an integer between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/, message))], message),
    v.transform(Number),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** Accepts a number, or its digits as a text from a flag. */
export function decimal(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be a number between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?(\d+\.?\d*|\.\d+)$/, message))], message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
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

function oneOf<const T extends string[]>(names: T) {
  return v.picklist(names, `must be one of ${names.join(', ')}`);
}
