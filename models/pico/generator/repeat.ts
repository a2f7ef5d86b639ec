import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { say } from './phrases.ts';
import * as w from './words.ts';

export interface Exchange {
  question: string;
  answer: string;
}

const { echo: ECHO, twice: TWICE } = readData<Record<'echo' | 'twice', string[]>>('repeating');

/** Makes a request to repeat a text, and the text. */
export function echoed(dice: Dice): Exchange {
  if (dice.chance(0.12)) return repeated(dice);
  const text = echoText(dice);
  const word = dice.pick([
    w.madeUpWord(dice),
    w.title(w.madeUpWord(dice)),
    dice.pick(w.NOUNS),
    dice.pick(w.ADJECTIVES),
    w.letters(dice, dice.between(2, 7)),
    w.numberText(dice),
  ]);
  const phrase = dice.pick(ECHO);
  const question = unpunctuated(dice, phrase, { text, quoted: quote(dice, text), word });
  return { question, answer: phrase.includes('$word') ? word : text };
}

/**
 * Fills the slots of a phrase and cuts off the text after a slot at its end, because pico would have to repeat it too.
 */
function unpunctuated(dice: Dice, phrase: string, slots: Record<string, string>): string {
  const said = say(dice, phrase);
  const ends = /\$(text|quoted|word)\b/.exec(said);
  const cut =
    ends && phrase.trimEnd().match(/\$(text|quoted|word)\}?$/) ? said.slice(0, ends.index + ends[0].length) : said;
  return cut.replace(/\$([a-zA-Z]\w*)/g, (whole, slot: string) => slots[slot] ?? whole);
}

function repeated(dice: Dice): Exchange {
  const times = dice.between(2, 5);
  const word = dice.pick([
    w.madeUpWord(dice),
    w.title(w.madeUpWord(dice)),
    dice.pick(w.NOUNS),
    dice.pick(w.FIRST_NAMES),
  ]);
  const timesWord = ['twice', 'three times', 'four times', 'five times'][times - 2] as string;
  const question = say(dice, dice.pick(TWICE), { quoted: quote(dice, word), word, timesWord, times: String(times) });
  return { question, answer: Array.from({ length: times }, () => word).join(' ') };
}

function quote(dice: Dice, text: string): string {
  const mark = dice.pick(['"', '"', '"', "'"]);
  return mark + text + mark;
}

/** Returns words that are repeated or end alike, so that pico can't tell the next word by the last letters alone. */
function repetitive(dice: Dice): string {
  const end = w.madeUpWord(dice, 1);
  const starts = () => dice.pick([w.letters(dice, 1), w.letters(dice, 2), w.madeUpWord(dice, 1)]);
  const words = Array.from({ length: dice.between(2, 3) }, () => starts() + end);
  const list = Array.from({ length: dice.between(2, 6) }, () =>
    dice.pick([...words, ...words, w.madeUpWord(dice), w.numberText(dice), dice.pick(w.NOUNS)]),
  );
  return list.map((word) => (dice.chance(0.3) ? w.title(word) : word)).join(dice.pick([' ', ' ', ' ', ', ', '-']));
}

/** Returns a funny text, as people invent them to test the repeating. */
function playful(dice: Dice): string {
  const word = () =>
    dice.pick([
      dice.pick(w.NOUNS),
      dice.pick(w.ADJECTIVES),
      w.madeUpWord(dice),
      dice.pick(w.FOODS),
      dice.pick(w.ANIMALS),
    ]);
  const big = () => w.title(word());
  const amount = () => dice.pick([dice.pick(w.NUMBER_WORDS), w.numberText(dice)]);
  const kind = dice.between(1, 9);
  if (kind === 1) return `${big()} ${big()} ${w.numberText(dice)}`;
  if (kind === 2) return `${word()} ${word()} ${w.numberText(dice)}`;
  if (kind === 3)
    return `${dice.pick(['I', 'We', 'You', 'They'])} ${dice.pick(['own', 'have', 'see', 'want', 'love', 'sold', 'ate', 'need', 'lost', 'found', 'count', 'bought'])} ${amount()} ${word()}s`;
  if (kind === 4) {
    const first = word();
    return `${first} ${dice.pick([...'bcdfghklmnprstvwz'])}${first.replace(/^[^aeiou]+/, '')}`;
  }
  if (kind === 5) return `${word().toUpperCase()} ${word()} ${big()}`;
  if (kind === 6)
    return `${w.numberText(dice)} ${word()} ${dice.pick(['and', 'or', 'for', 'in', 'with', '+', '&'])} ${w.numberText(dice)} ${word()}`;
  if (kind === 7)
    return `${dice.pick(['The', 'My', 'A', 'Our', 'Every', 'One'])} ${dice.pick(w.ADJECTIVES)} ${word()} ${dice.pick(['is', 'has', 'was', 'likes', 'eats', 'jumps over', 'sings to', 'knows', 'sleeps under'])} ${dice.pick(['the', 'my', 'a', 'no', 'two'])} ${dice.pick(w.ADJECTIVES)} ${word()}`;
  if (kind === 8)
    return `${big()}${dice.pick(['-', '_', '/', '.', ''])}${w.numberText(dice)}${dice.pick(['', 'x', 'A', '!', '%'])} ${word()}`;
  return `${w.name(dice, w.FIRST_NAMES)} ${w.numberText(dice)} ${w.name(dice, w.CITIES)}`;
}

function echoText(dice: Dice): string {
  if (dice.chance(0.3)) return playful(dice);
  const kind = dice.between(1, 15);
  if (kind > 12) return repetitive(dice);
  if (kind === 1) return w.letters(dice, dice.between(2, 10));
  if (kind === 2)
    return Array.from({ length: dice.between(1, 6) }, () => w.numberText(dice)).join(dice.pick([' ', ', ', '-']));
  if (kind === 3) return w.title(w.madeUpWord(dice));
  if (kind === 4) return w.words(dice, dice.between(1, 2)).toUpperCase();
  if (kind === 5)
    return `${w.title(w.words(dice, dice.between(2, 5)))}, ${w.words(dice, dice.between(2, 4))}${dice.pick(['.', '!', '?', ''])}`;
  if (kind === 6)
    return `${w.name(dice, w.FIRST_NAMES)} ${dice.pick(['likes', 'sees', 'has', 'and', 'wants', 'lives in', 'met', 'was in', 'eats'])} ${dice.pick([w.name(dice, w.CITIES), dice.pick(w.FOODS), dice.pick(w.NOUNS), w.name(dice, w.FIRST_NAMES)])}`;
  const text = w.words(dice, dice.between(1, 8));
  const cased = dice.chance(0.4) ? w.title(text) : text;
  return cased + (dice.chance(0.3) ? dice.pick(['.', '!', '?']) : '');
}

type Counting = 'up' | 'range' | 'down' | 'downRange' | 'inWords' | 'downInWords' | 'rangeInWords';
const counting = readData<Record<Counting, string[]>>('counting');

/** Words that change the answer. They never get typing mistakes. */
const DECISIVE = [
  'downwards',
  'down',
  'backwards',
  'backward',
  'back',
  'reverse',
  'descending',
  'countdown',
  'words',
  'letters',
  'spelled',
  'spell',
];

function ask(dice: Dice, phrase: string, slots: Record<string, string>): string {
  const kept = Object.fromEntries(DECISIVE.map((word, index) => [`k${index}`, word]));
  const safe = phrase.replace(
    new RegExp(`\\b(${DECISIVE.join('|')})\\b`, 'g'),
    (word) => `$k${DECISIVE.indexOf(word)}`,
  );
  return say(dice, safe, { ...kept, ...slots });
}

/** Makes a request to count, and the numbers. */
export function counted(dice: Dice): Exchange {
  const kind = dice.between(1, 20);
  if (kind <= 6) return upTo(dice, counting.up, 1);
  if (kind <= 11) return range(dice);
  if (kind <= 13) return downRange(dice);
  if (kind <= 17) {
    const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
    return { question: ask(dice, dice.pick(counting.down), { n: numeral(dice, n) }), answer: numbers(n, 1) };
  }
  if (kind === 20) {
    const a = dice.between(2, 15);
    const b = dice.between(a + 1, Math.min(20, a + 9));
    return {
      question: ask(dice, dice.pick(counting.rangeInWords), { a: numeral(dice, a), b: numeral(dice, b) }),
      answer: numberWords(a, b),
    };
  }
  const n = dice.between(2, dice.chance(0.7) ? 10 : 20);
  const down = dice.chance(0.3);
  return {
    question: ask(dice, dice.pick(down ? counting.downInWords : counting.inWords), { n: numeral(dice, n) }),
    answer: down ? numberWords(n, 1) : numberWords(1, n),
  };
}

function upTo(dice: Dice, phrases: string[], from: number): Exchange {
  const n = dice.between(2, dice.chance(0.6) ? 12 : 30);
  return { question: ask(dice, dice.pick(phrases), { n: numeral(dice, n) }), answer: numbers(from, n) };
}

/** Returns two numbers, the smaller one first. */
function ends(dice: Dice): [number, number] {
  const a = dice.chance(0.75) ? dice.between(2, 20) : dice.between(2, 180);
  return [a, a + dice.between(2, 12)];
}

function range(dice: Dice): Exchange {
  const [a, b] = ends(dice);
  return {
    question: ask(dice, dice.pick(counting.range), { a: numeral(dice, a), b: numeral(dice, b) }),
    answer: numbers(a, b),
  };
}

function downRange(dice: Dice): Exchange {
  const [b, a] = ends(dice);
  return {
    question: ask(dice, dice.pick(counting.downRange), { a: numeral(dice, a), b: numeral(dice, b) }),
    answer: numbers(a, b),
  };
}

function numberWords(from: number, to: number): string {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => w.NUMBER_WORDS[from + step * index]).join(', ');
}

function numeral(dice: Dice, n: number): string {
  const word = w.NUMBER_WORDS[n];
  return word !== undefined && dice.chance(0.45) ? word : String(n);
}

function numbers(from: number, to: number): string {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + step * index).join(', ');
}
