import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { isHeldOut } from './held-out.ts';

const list = (text: string): string[] => text.split(' ');

type List =
  | ('firstNames' | 'people' | 'cities' | 'places' | 'countries' | 'rooms' | 'jobs' | 'hobbies')
  | ('colours' | 'foods' | 'animals' | 'plants' | 'topics' | 'measures' | 'currencies')
  | ('humanLanguages' | 'programmingLanguages' | 'nouns' | 'verbs' | 'adjectives' | 'numberWords' | 'unusual');

export const {
  firstNames: FIRST_NAMES,
  people: PEOPLE,
  cities: CITIES,
  /** Cities of several words. */
  places: PLACES,
  countries: COUNTRIES,
  rooms: ROOMS,
  jobs: JOBS,
  hobbies: HOBBIES,
  colours: COLOURS,
  foods: FOODS,
  animals: ANIMALS,
  plants: PLANTS,
  topics: TOPICS,
  measures: MEASURES,
  currencies: CURRENCIES,
  humanLanguages: HUMAN_LANGUAGES,
  programmingLanguages: PROGRAMMING_LANGUAGES,
  nouns: NOUNS,
  verbs: VERBS,
  adjectives: ADJECTIVES,
  /** The numbers from 0 to 20, each at its own index. */
  numberWords: NUMBER_WORDS,
  /** Words and names with letter groups that are rare in English. */
  unusual: UNUSUAL_WORDS,
} = readData<Record<List, string[]>>('words');

const REAL_WORDS = [NOUNS, VERBS, ADJECTIVES, FOODS, ANIMALS, JOBS, HOBBIES, COLOURS, FIRST_NAMES, CITIES, COUNTRIES]
  .flat()
  .map((word) => word.toLowerCase())
  .filter((word) => /^[a-z]{3,}$/.test(word));

/** The words that `patchwork` cuts up. Unusual words count twice, so that they are about as frequent as the others. */
const PATCHES = [...REAL_WORDS, ...UNUSUAL_WORDS, ...UNUSUAL_WORDS];

const ONSETS = list(
  'b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr kl kr pl pr qu sc sh sk sl sm sn sp st str sw th tr tw wh y x',
);
const VOWELS = list('a e i o u a e i o u a e i o ai au ea ee ei ie io oo ou ue y ia oa');
const CODAS = list('n r l s t m k d x th nd rt lk ng ck sh ss ll ff mp nt rd rk ft gh st b g p v z');

/** Returns a made-up word in lower case. */
export function madeUpWord(dice: Dice, syllables = dice.pick([1, 2, 2, 2, 3, 3])): string {
  const way = dice.between(1, 20);
  if (syllables > 1 && way <= 8 && dice.parts.length > 0) return assembled(dice);
  if (syllables > 1 && way <= 12) return patchwork(dice);
  if (syllables > 1 && way <= 15) return blend(dice);
  let word = '';
  for (let count = 0; count < syllables; count++) {
    if (count > 0 || dice.chance(0.8)) word += dice.pick(ONSETS);
    word += dice.pick(VOWELS);
    if (dice.chance(count === syllables - 1 ? 0.55 : 0.25)) word += dice.pick(CODAS);
  }
  if (word.length < 3) word += dice.pick(CODAS) + dice.pick(VOWELS);
  return isHeldOut(word) ? madeUpWord(dice) : word;
}

/** Returns a made-up word from the beginning of one word and the end of another, so that it looks like English. */
function blend(dice: Dice): string {
  const [first, second] = [dice.pick(REAL_WORDS), dice.pick(REAL_WORDS)];
  const word =
    first.slice(0, dice.between(2, Math.min(5, first.length))) +
    second.slice(-dice.between(2, Math.min(5, second.length)));
  return isHeldOut(word) ? blend(dice) : word;
}

/** Returns a made-up word from the parts of the dice. */
function assembled(dice: Dice): string {
  const word = Array.from({ length: dice.pick([2, 2, 3]) }, () => dice.pick(dice.parts)).join('');
  return isHeldOut(word) ? assembled(dice) : word;
}

/** Returns a made-up word from slices of several words, so that any two letters can be neighbours. */
function patchwork(dice: Dice): string {
  const slices = Array.from({ length: dice.pick([2, 2, 2, 3]) }, () => {
    const from = dice.pick(PATCHES);
    const length = Math.min(dice.between(2, 5), from.length);
    const at = dice.between(0, from.length - length);
    return from.slice(at, at + length);
  });
  const word = slices.join('');
  return isHeldOut(word) ? patchwork(dice) : word;
}

/** Returns a word with a capital first letter. */
export function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns random letters. */
export function letters(dice: Dice, length: number): string {
  return Array.from({ length }, () => dice.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('');
}

/** Returns a name. Most are made up, so that pico learns to copy names instead of knowing them. */
export function name(dice: Dice, known: readonly string[]): string {
  if (known === CITIES && dice.chance(0.05)) return dice.pick(PLACES);
  if (dice.chance(0.3)) return dice.pick(known);
  const single = () => (dice.chance(0.25) ? respell(dice, dice.pick(known)) : title(madeUpWord(dice)));
  const kind = dice.between(1, 20);
  if (kind <= 2) return `${single()} ${single()}`;
  if (kind === 3) return `${single()}-${single()}`;
  if (kind <= 6) return single().toLowerCase();
  return single();
}

/** Returns a known name with one letter changed, and sometimes another ending. */
function respell(dice: Dice, known: string): string {
  const word = alter(dice, known);
  return isHeldOut(word) ? respell(dice, known) : word;
}

function alter(dice: Dice, known: string): string {
  const at = dice.between(1, known.length - 1);
  const letter = dice.pick([...'abcdefghiklmnoprstuvwyz']);
  const changed = known.slice(0, at) + letter + known.slice(at + (dice.chance(0.5) ? 1 : 0));
  return dice.chance(0.3)
    ? changed + dice.pick(['a', 'o', 'us', 'ia', 'ko', 'en', 'ix', 'el', 'ville', 'burg', 'ton', 'ska'])
    : changed;
}

/** Returns a whole number with one to five digits. */
export function numberText(dice: Dice): string {
  const digits = dice.pick([1, 1, 2, 2, 2, 3, 3, 4, 5]);
  return String(dice.between(digits === 1 ? 0 : 10 ** (digits - 1), 10 ** digits - 1));
}

/** Returns words that people might ask pico to repeat or to store. */
export function words(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => {
    const kind = dice.between(1, 10);
    if (kind <= 2) return madeUpWord(dice);
    if (kind === 3) return title(madeUpWord(dice));
    if (kind <= 5) return dice.pick(ADJECTIVES);
    if (kind <= 7) return dice.pick(VERBS);
    if (kind === 8)
      return dice.pick([
        'the',
        'a',
        'and',
        'my',
        'in',
        'on',
        'with',
        'to',
        'of',
        'is',
        'are',
        'was',
        'not',
        'very',
        'we',
        'you',
        'it',
        'this',
        'for',
        'from',
        'all',
        'one',
        'two',
        'at',
        'by',
        'under',
        'over',
      ]);
    return dice.pick(NOUNS);
  }).join(' ');
}
