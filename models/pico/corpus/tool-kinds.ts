import type { Dice } from './dice.ts';
import * as w from './words.ts';

/** A kind of parameter: what it may be called, its JSON schema, and a value for it as said and as JSON. */
export interface ParameterKind {
  names: string[];
  descriptions: string[];
  schema: (dice: Dice) => Record<string, unknown>;
  value: (dice: Dice, schema: Record<string, unknown>) => { said: string; json: unknown };
  /** How a request mentions it, with `$v`, `$p` for the parameter's name in words. */
  mentions: string[];
}

const ROOMS = [
  'kitchen',
  'bedroom',
  'bathroom',
  'office',
  'living room',
  'garage',
  'hall',
  'garden',
  'cellar',
  'attic',
  'nursery',
  'dining room',
];
const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY', 'CHF', 'euros', 'dollars', 'pounds', 'yen'];
const MEASURES =
  'miles kilometers km meters feet inches cm yards pounds kg grams ounces liters gallons cups pints celsius fahrenheit hours minutes seconds days acres hectares bytes megabytes gigabytes knots mph kph joules calories'.split(
    ' ',
  );
const PLANTS =
  'rose cactus fern orchid tulip ivy basil tomato palm bamboo sunflower lily mint bonsai daisy oak violet begonia geranium hydrangea hibiscus'.split(
    ' ',
  );
const plain = (text: string) => ({ said: text, json: text });
const string = () => ({ type: 'string' });

export const kinds: Record<string, ParameterKind> = {
  city: {
    names: ['city', 'location', 'place', 'town', 'where', 'destination', 'area'],
    descriptions: [
      'Name of the city',
      'The city',
      'City or town',
      'Where',
      'The place',
      'A location',
      'The city name, e.g. $other',
    ],
    schema: string,
    value: (dice) => plain(w.name(dice, w.CITIES)),
    mentions: ['in $v', 'for $v', 'at $v', 'near $v', 'of $v'],
  },
  person: {
    names: [
      'name',
      'person',
      'user',
      'contact',
      'recipient',
      'to',
      'customer',
      'owner',
      'user_name',
      'username',
      'employee',
      'guest',
      'player',
    ],
    descriptions: ['Name of the person', 'The person', 'Who', 'Full name', 'The name', 'Who it is for', 'The user'],
    schema: string,
    value: (dice) => plain(w.name(dice, w.FIRST_NAMES)),
    mentions: ['for $v', 'to $v', 'of $v', 'with $v', 'named $v', '$p $v'],
  },
  full_name: {
    names: ['full_name', 'name', 'customer', 'client', 'patient', 'author', 'member', 'fullName'],
    descriptions: ['Full name', 'First and last name', 'Name and surname', 'Who'],
    schema: string,
    value: (dice) => plain(`${w.name(dice, w.FIRST_NAMES).split(' ')[0]} ${w.title(w.name(dice, w.FIRST_NAMES))}`),
    mentions: ['for $v', 'of $v', 'named $v', '$p $v', '$v'],
  },
  artist: {
    names: ['artist', 'singer', 'band', 'musician'],
    descriptions: ['The artist', 'Who sings it', 'Name of the band'],
    schema: string,
    value: (dice) =>
      plain(
        dice.chance(0.4)
          ? `${dice.chance(0.4) ? 'The ' : ''}${w.title(dice.pick(w.ADJECTIVES))} ${w.title(dice.pick(w.NOUNS))}s`
          : w.name(dice, w.FIRST_NAMES),
      ),
    mentions: ['by $v', 'from $v', 'of $v', '$p $v'],
  },
  animal: {
    names: ['animal', 'species', 'pet', 'creature'],
    descriptions: ['The animal', 'Which animal', 'Kind of animal'],
    schema: string,
    value: (dice) => plain(dice.chance(0.6) ? dice.pick(w.ANIMALS) : w.madeUpWord(dice)),
    mentions: ['the $v', 'for the $v', '$v', '$p $v'],
  },
  plant: {
    names: ['plant', 'flower', 'tree'],
    descriptions: ['The plant', 'Which plant', 'Name of the plant'],
    schema: string,
    value: (dice) => plain(dice.chance(0.5) ? dice.pick(PLANTS) : w.madeUpWord(dice)),
    mentions: ['the $v', '$v', '$p $v'],
  },
  colour: {
    names: ['color', 'colour', 'tint', 'paint'],
    descriptions: ['The colour', 'Which colour', 'Name of the color'],
    schema: (dice) =>
      dice.chance(0.6) ? string() : { type: 'string', enum: dice.sample(w.COLOURS, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(dice.pick((schema.enum as string[] | undefined) ?? [...w.COLOURS, w.madeUpWord(dice)])),
    mentions: ['in $v', '$v', '$p $v', 'to $v'],
  },
  measure: {
    names: ['unit', 'from_unit', 'to_unit', 'from', 'to'],
    descriptions: ['The unit', 'Name of the unit', 'Unit of measure'],
    schema: string,
    value: (dice) => plain(dice.chance(0.75) ? dice.pick(MEASURES) : w.madeUpWord(dice)),
    mentions: ['in $v', '$v', '$p $v'],
  },
  text: {
    names: [
      'text',
      'message',
      'body',
      'content',
      'note',
      'subject',
      'query',
      'q',
      'question',
      'title',
      'topic',
      'description',
      'phrase',
      'keyword',
      'search',
      'task',
      'item',
      'what',
      'label',
      'input',
    ],
    descriptions: [
      'The text',
      'What to say',
      'The message',
      'Search words',
      'The title',
      'What it is about',
      'The query',
      'Free text',
    ],
    schema: string,
    value: (dice) => plain(w.words(dice, dice.between(1, 5))),
    mentions: [
      '$v',
      '"$v"',
      '$p: $v',
      '$p "$v"',
      'about $v',
      "'$v'",
      'called "$v"',
      'saying "$v"',
      'with the $p "$v"',
      ': $v',
      'that says $v',
    ],
  },
  id: {
    names: [
      'id',
      'order_id',
      'code',
      'user_id',
      'number',
      'ticket',
      'ref',
      'reference',
      'key',
      'orderId',
      'item_id',
      'sku',
      'invoice',
      'booking',
      'account',
      'account_id',
      'file_id',
      'tracking_number',
      'serial',
    ],
    descriptions: ['The id', 'Identifier', 'The code', 'Reference number', 'Its number', 'Unique key'],
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
    mentions: ['$v', '$p $v', 'with $p $v', 'number $v', 'for $v', 'of $v'],
  },
  count: {
    names: [
      'count',
      'amount',
      'number',
      'limit',
      'quantity',
      'n',
      'times',
      'max',
      'sides',
      'people',
      'guests',
      'seats',
      'days',
      'minutes',
      'hours',
      'seconds',
      'duration',
      'level',
      'volume',
      'temperature',
      'percent',
      'brightness',
      'size',
      'length',
      'width',
      'age',
      'max_results',
      'distance',
      'price',
      'speed',
      'timeout',
    ],
    descriptions: ['How many', 'The number', 'The amount', 'A number', 'How much', 'Value to set'],
    schema: (dice) => ({ type: dice.pick(['integer', 'number']) }),
    value: (dice, schema) => number(dice, schema),
    mentions: ['$v', '$v $p', '$p $v', 'with $p $v', 'to $v', 'for $v $p', 'of $v', '$p of $v', 'up to $v'],
  },
  date: {
    names: ['date', 'day', 'when', 'start', 'start_date', 'due', 'time', 'at', 'from', 'departure', 'deadline'],
    descriptions: ['The date', 'When', 'The day', 'Date or time', 'Day of it'],
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
    mentions: ['on $v', 'for $v', '$v', 'at $v', '$p $v'],
  },
  choice: {
    names: [
      'mode',
      'unit',
      'units',
      'format',
      'kind',
      'type',
      'size',
      'color',
      'colour',
      'language',
      'status',
      'priority',
      'category',
      'state',
      'room',
      'genre',
      'style',
      'currency',
    ],
    descriptions: ['One of the values', 'Which one', 'The kind', 'The mode', ''],
    schema: (dice) => ({ type: 'string', enum: choices(dice) }),
    value: (dice, schema) => plain(dice.pick(schema.enum as string[])),
    mentions: ['$v', 'in $v', '$p $v', 'with $p $v', 'as $v', '$v $p', 'to $v'],
  },
  email: {
    names: ['email', 'address', 'to', 'recipient', 'mail', 'sender'],
    descriptions: ['Email address', 'The address', 'Who gets it'],
    schema: string,
    value: (dice) =>
      plain(
        `${w.madeUpWord(dice)}${dice.chance(0.3) ? `.${w.madeUpWord(dice)}` : ''}@${w.madeUpWord(dice)}.${dice.pick(['com', 'org', 'net', 'de', 'io'])}`,
      ),
    mentions: ['to $v', '$v', 'for $v', '$p $v', 'from $v'],
  },
  file: {
    names: ['path', 'file', 'filename', 'file_name', 'url', 'link', 'document', 'folder'],
    descriptions: ['The file', 'Path of the file', 'The address', 'Name of the file', 'Where it is'],
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
    mentions: ['$v', 'from $v', '$p $v', 'at $v', 'in $v', 'named $v'],
  },
  thing: {
    names: [
      'item',
      'product',
      'object',
      'device',
      'thing',
      'word',
      'song',
      'food',
      'animal',
      'book',
      'artist',
      'movie',
      'symbol',
      'company',
      'country',
      'team',
      'ingredient',
      'drink',
      'plant',
      'game',
      'app',
      'table',
    ],
    descriptions: ['Which one', 'The thing', 'Its name', 'What it is for', 'Name of it'],
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
    mentions: ['$v', 'of $v', 'for $v', 'the $v', '$p $v', 'named $v', 'with $v', 'called $v'],
  },
  expression: {
    names: ['expression', 'expr', 'formula'],
    descriptions: ['The expression', 'What to compute', 'Maths'],
    schema: string,
    value: (dice) =>
      plain(
        Array.from({ length: dice.between(2, 3) }, () => w.numberText(dice)).join(
          dice.pick([' + ', ' * ', ' - ', ' / ', '+', '*', '-', '/']),
        ),
      ),
    mentions: ['$v', 'of $v', '$p $v'],
  },
  room: {
    names: ['room', 'where', 'place', 'location'],
    descriptions: ['The room', 'Which room', 'In which room'],
    schema: (dice) => (dice.chance(0.5) ? string() : { type: 'string', enum: dice.sample(ROOMS, dice.between(2, 5)) }),
    value: (dice, schema) =>
      plain(
        dice.pick(
          (schema.enum as string[] | undefined) ?? [
            ...ROOMS,
            w.madeUpWord(dice),
            w.madeUpWord(dice),
            dice.pick(w.NOUNS),
            `${dice.pick(w.NOUNS)} room`,
          ],
        ),
      ),
    mentions: ['in the $v', 'for the $v', '$p $v', 'of the $v'],
  },
  currency: {
    names: ['currency', 'from', 'to'],
    descriptions: ['Currency code', 'The currency'],
    schema: (dice) =>
      dice.chance(0.6) ? string() : { type: 'string', enum: dice.sample(CURRENCIES, dice.between(2, 5)) },
    value: (dice, schema) =>
      plain(
        dice.pick(
          (schema.enum as string[] | undefined) ?? [
            ...CURRENCIES,
            w.letters(dice, 3).toUpperCase(),
            w.letters(dice, 3).toUpperCase(),
          ],
        ),
      ),
    mentions: ['in $v', '$v'],
  },
  language: {
    names: ['language', 'target', 'to', 'lang', 'target_language'],
    descriptions: ['The language', 'Target language', 'Into which language'],
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
    mentions: ['in $v', 'into $v'],
  },
  unit: {
    names: ['unit', 'units', 'scale', 'system'],
    descriptions: ['Unit of the result', 'The unit', 'Which unit'],
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
    mentions: ['in $v', 'in $v units', '$p $v', 'with $p $v', 'please in $v'],
  },
  flag: {
    names: [
      'on',
      'enabled',
      'active',
      'urgent',
      'private',
      'public',
      'loud',
      'verbose',
      'force',
      'locked',
      'repeat',
      'dry_run',
      'notify',
    ],
    descriptions: ['Whether it is', 'True or false', 'Yes or no', 'On or off'],
    schema: () => ({ type: 'boolean' }),
    value: (dice) => (dice.chance(0.5) ? { said: 'on', json: true } : { said: 'off', json: false }),
    mentions: ['with $p $v', 'and $p $v', '$p $v', 'and set $p to $v'],
  },
};

/** Above this, numbers are written in digits. */
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
