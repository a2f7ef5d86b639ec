import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import * as w from './words.ts';

/** The names of a kind of parameter, and the texts that ask for it. */
interface KindWords {
  names: string[];
  descriptions: string[];
  /** Texts for requests: `$v` is the value, `$p` the name of the parameter in words. */
  mentions: string[];
}

/** The values of a kind of parameter. */
interface KindValues {
  /** Makes the JSON schema of a parameter. */
  schema: (dice: Dice) => Record<string, unknown>;
  /** Makes a value: as text for a request, and as JSON. */
  value: (dice: Dice, schema: Record<string, unknown>) => { said: string; json: unknown };
}

export type ParameterKind = KindWords & KindValues;

/** The parameters that many tools share, by their names in tools.json. */
interface UsualParameters {
  [name: string]: { kind: string; names: string[] };
}

const data = readData<{ usual: UsualParameters; kinds: Record<string, KindWords> }>('tool-parameters');
export const usualParameters = data.usual;

const plain = (text: string) => ({ said: text, json: text });
const string = () => ({ type: 'string' });

const values: Record<string, KindValues> = {
  city: {
    schema: string,
    value: (dice) => plain(w.name(dice, w.CITIES)),
  },
  person: {
    schema: string,
    value: (dice) => plain(w.name(dice, w.FIRST_NAMES)),
  },
  full_name: {
    schema: string,
    value: (dice) => plain(`${w.name(dice, w.FIRST_NAMES).split(' ')[0]} ${w.title(w.name(dice, w.FIRST_NAMES))}`),
  },
  artist: {
    schema: string,
    value: (dice) =>
      plain(
        dice.chance(0.4)
          ? `${dice.chance(0.4) ? 'The ' : ''}${w.title(dice.pick(w.ADJECTIVES))} ${w.title(dice.pick(w.NOUNS))}s`
          : w.name(dice, w.FIRST_NAMES),
      ),
  },
  animal: {
    schema: string,
    value: (dice) => plain(dice.chance(0.6) ? dice.pick(w.ANIMALS) : w.madeUpWord(dice)),
  },
  plant: {
    schema: string,
    value: (dice) => plain(dice.chance(0.5) ? dice.pick(w.PLANTS) : w.madeUpWord(dice)),
  },
  colour: {
    schema: (dice) =>
      dice.chance(0.6) ? string() : { type: 'string', enum: dice.sample(w.COLOURS, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(dice.pick((schema.enum as string[] | undefined) ?? [...w.COLOURS, w.madeUpWord(dice)])),
  },
  measure: {
    schema: string,
    value: (dice) => plain(dice.chance(0.75) ? dice.pick(w.MEASURES) : w.madeUpWord(dice)),
  },
  text: {
    schema: string,
    value: (dice) => plain(w.words(dice, dice.between(1, 5))),
  },
  id: {
    schema: string,
    value: (dice) =>
      plain(
        dice.pick([
          () => w.letters(dice, dice.between(1, 3)).toUpperCase() + dice.between(1, 9999),
          () => `${w.letters(dice, 2)}-${dice.between(10, 999)}`,
          () => w.letters(dice, dice.between(4, 8)),
          () => String(dice.between(100, 99999)),
          () => `${w.letters(dice, 3).toUpperCase()}-${w.letters(dice, 2).toUpperCase()}${dice.between(0, 99)}`,
        ])(),
      ),
  },
  count: {
    schema: (dice) => ({ type: dice.pick(['integer', 'number']) }),
    value: (dice, schema) => number(dice, schema),
  },
  date: {
    schema: string,
    value: (dice) =>
      plain(
        dice.pick([
          () =>
            dice.pick([
              'today',
              'tomorrow',
              'monday',
              'tuesday',
              'wednesday',
              'thursday',
              'friday',
              'saturday',
              'sunday',
              'tonight',
              'noon',
              'midnight',
              'yesterday',
            ]),
          () => dice.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']),
          () => `${dice.between(1, 12)} ${dice.pick(['am', 'pm'])}`,
          () => `${dice.between(0, 23)}:${String(dice.between(0, 59)).padStart(2, '0')}`,
          () =>
            `20${dice.between(20, 39)}-${String(dice.between(1, 12)).padStart(2, '0')}-${String(dice.between(1, 28)).padStart(2, '0')}`,
          () =>
            `${dice.pick(['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'])} ${dice.between(1, 28)}`,
          () => `${dice.between(1, 12)}${dice.pick(['am', 'pm'])}`,
        ])(),
      ),
  },
  choice: {
    schema: (dice) => ({ type: 'string', enum: choices(dice) }),
    value: (dice, schema) => plain(dice.pick(schema.enum as string[])),
  },
  email: {
    schema: string,
    value: (dice) =>
      plain(
        `${w.madeUpWord(dice)}${dice.chance(0.3) ? `.${w.madeUpWord(dice)}` : ''}@${w.madeUpWord(dice)}.${dice.pick(['com', 'org', 'net', 'de', 'io'])}`,
      ),
  },
  file: {
    schema: string,
    value: (dice) =>
      plain(
        dice.pick([
          () => `${w.madeUpWord(dice)}.${dice.pick(['txt', 'md', 'json', 'pdf', 'csv', 'png'])}`,
          () => `/${w.madeUpWord(dice)}/${w.madeUpWord(dice)}.${dice.pick(['txt', 'log', 'json'])}`,
          () =>
            `https://${w.madeUpWord(dice)}.${dice.pick(['com', 'org', 'net'])}${dice.chance(0.4) ? `/${w.madeUpWord(dice)}` : ''}`,
          () => `${dice.pick(w.NOUNS)}.${dice.pick(['txt', 'md', 'json', 'pdf'])}`,
        ])(),
      ),
  },
  thing: {
    schema: string,
    value: (dice) =>
      plain(
        dice.pick([
          () => dice.pick(w.NOUNS),
          () => w.madeUpWord(dice),
          () => `${dice.pick(w.ADJECTIVES)} ${dice.pick(w.NOUNS)}`,
          () => w.title(w.madeUpWord(dice)),
          () => w.letters(dice, dice.between(3, 5)).toUpperCase(),
          () => dice.pick(w.FOODS),
          () => dice.pick(w.ANIMALS),
        ])(),
      ),
  },
  expression: {
    schema: string,
    value: (dice) =>
      plain(
        Array.from({ length: dice.between(2, 3) }, () => w.numberText(dice)).join(
          dice.pick([' + ', ' * ', ' - ', ' / ', '+', '*', '-', '/']),
        ),
      ),
  },
  room: {
    schema: (dice) =>
      dice.chance(0.5) ? string() : { type: 'string', enum: dice.sample(w.ROOMS, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(
        dice.pick(
          (schema.enum as string[] | undefined) ?? [
            ...w.ROOMS,
            w.madeUpWord(dice),
            w.madeUpWord(dice),
            dice.pick(w.NOUNS),
            `${dice.pick(w.NOUNS)} room`,
          ],
        ),
      ),
  },
  currency: {
    schema: (dice) =>
      dice.chance(0.6) ? string() : { type: 'string', enum: dice.sample(w.CURRENCIES, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(
        dice.pick(
          (schema.enum as string[] | undefined) ?? [
            ...w.CURRENCIES,
            w.letters(dice, 3).toUpperCase(),
            w.letters(dice, 3).toUpperCase(),
          ],
        ),
      ),
  },
  language: {
    schema: (dice) =>
      dice.chance(0.6) ? string() : { type: 'string', enum: dice.sample(w.HUMAN_LANGUAGES, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(
        dice.pick(
          (schema.enum as string[] | undefined) ?? [
            ...w.HUMAN_LANGUAGES,
            w.title(w.madeUpWord(dice)),
            w.title(w.madeUpWord(dice)),
          ],
        ),
      ),
  },
  unit: {
    schema: (dice) => ({
      type: 'string',
      enum: dice.pick([
        ['celsius', 'fahrenheit'],
        ['metric', 'imperial'],
        ['celsius', 'fahrenheit', 'kelvin'],
        ['C', 'F'],
      ]),
    }),
    value: (dice, schema) => plain(dice.pick(schema.enum as string[])),
  },
  flag: {
    schema: () => ({ type: 'boolean' }),
    value: (dice) => (dice.chance(0.5) ? { said: 'on', json: true } : { said: 'off', json: false }),
  },
};

export const kinds: Record<string, ParameterKind> = Object.fromEntries(
  Object.entries(data.kinds).map(([kind, words]) => {
    const made = values[kind];
    if (!made) throw new Error(`tool-parameters.json has the kind ${kind}, which no value is made for`);
    return [kind, { ...words, ...made }];
  }),
);

/** Larger numbers are always written in digits. */
const LARGEST_IN_WORDS = 10;

function number(dice: Dice, schema: Record<string, unknown>): { said: string; json: unknown } {
  if (schema.type === 'number' && dice.chance(0.25)) {
    const text = `${dice.between(0, 99)}.${dice.between(1, 9)}`;
    return { said: text, json: Number(text) };
  }
  const value = dice.pick([
    () => dice.between(1, 10),
    () => dice.between(1, 100),
    () => dice.between(1, 100),
    () => dice.between(100, 5000),
  ])();
  const word = value > LARGEST_IN_WORDS ? undefined : w.NUMBER_WORDS[value];
  return { said: word !== undefined && dice.chance(0.25) ? word : String(value), json: value };
}

function choices(dice: Dice): string[] {
  const list = dice.pick([
    ['celsius', 'fahrenheit'],
    ['low', 'medium', 'high'],
    ['small', 'medium', 'large'],
    ['on', 'off'],
    ['open', 'closed', 'pending'],
    ['metric', 'imperial'],
    ['fast', 'slow'],
    ['pdf', 'txt', 'html'],
    ['kitchen', 'bedroom', 'bathroom', 'office'],
    ['rock', 'jazz', 'pop', 'classical'],
    ['EUR', 'USD', 'GBP', 'JPY'],
    ['en', 'de', 'fr', 'es'],
    dice.sample(w.COLOURS, dice.between(2, 4)),
    dice.sample(w.NOUNS, dice.between(2, 4)),
    Array.from({ length: dice.between(2, 4) }, () => w.madeUpWord(dice)),
    dice.sample(w.ADJECTIVES, dice.between(2, 3)),
  ]);
  return list;
}
