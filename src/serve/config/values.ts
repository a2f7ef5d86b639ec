import * as v from 'valibot';
import { between, integerField as integerNumber, oneOf } from '../../api/fields/fields.ts';
import { readAlias } from '../../catalogue/aliases.ts';
import { KV_TYPES, MOST_GPUS, SPLIT_MODES } from '../../engine/engine.ts';
import { UsageError } from '../errors.ts';

const SHARES = /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/;
const SHARES_RULE = 'must be numbers with commas between them, as in 3,1';
const toNumbers = (text: string) => text.split(',').map(Number);

/** Accepts an integer, or its digits as a text from a flag or a variable. */
export function integerSetting(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be an integer between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?\d+$/, message))], message),
    v.transform(Number),
    integerNumber(min, max),
  );
}

/** Accepts a number, or its digits as a text from a flag. */
export function decimalSetting(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be a number between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^-?(\d+\.?\d*|\.\d+)$/, message))], message),
    v.transform(Number),
    between(min, max),
  );
}

export const textSetting = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'));

/** Accepts a list of texts, or a single text as a list of one. */
export const textListSetting = v.pipe(
  v.union([v.string(), v.array(v.string())], 'must be a text or a list of texts'),
  v.transform((given) => (typeof given === 'string' ? [given] : given)),
  v.check((list) => !list.includes(''), 'must not be empty'),
);

/** Accepts a list of texts of the form `name=id`. */
export const aliasListSetting = v.pipe(
  textListSetting,
  v.rawCheck(({ dataset, addIssue }) => {
    const wrong = dataset.typed ? dataset.value.map(readAlias).find((alias) => typeof alias === 'string') : undefined;
    if (wrong !== undefined) addIssue({ message: wrong });
  }),
);

export const urlSetting = v.pipe(
  v.string('must be a URL'),
  v.regex(/^https?:\/\//, 'must be a URL that begins with http:// or https://'),
  v.url('must be a URL'),
);

export const switchSetting = v.union(
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

export const BACKENDS = ['auto', 'gpu', 'cpu', 'wasm'] as const;
export const backendSetting = oneOf([...BACKENDS]);
/** Accepts a list of numbers, or a text of numbers with commas between them. */
export const sharesSetting: v.GenericSchema<unknown, number[]> = v.pipe(
  v.union([v.array(v.number()), v.pipe(v.string(), v.regex(SHARES, SHARES_RULE), v.transform(toNumbers))], SHARES_RULE),
  v.maxLength(MOST_GPUS, `must have at most ${MOST_GPUS} numbers`),
  v.everyItem((share) => share >= 0, SHARES_RULE),
);

export const splitModeSetting = oneOf([...SPLIT_MODES]);
export const kvTypeSetting = oneOf([...KV_TYPES]);
export const logFormatSetting = oneOf(['auto', 'json', 'pretty']);
export const reachSetting = oneOf(['none', 'inference', 'all']);
export const logLevelSetting = oneOf(['debug', 'info', 'warn', 'error', 'silent']);

/** Checks a value. Throws a `UsageError` if it is wrong. `origin` names its flag, variable or key in the message. */
export function readValue<T>(schema: v.GenericSchema<unknown, T>, value: unknown, origin: string): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new UsageError(`${origin} ${result.issues[0].message}`);
}
