import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { expand, type Slots, say } from './phrases.ts';
import * as w from './words.ts';

/** A kind of question that is too hard for pico. */
interface Decline {
  about: string;
  answer: string;
  ask: string[];
}

const declines = readData<Decline[]>('declines');

/** Numbers in words: one to twelve, and some larger ones. */
const AMOUNTS = [...w.NUMBER_WORDS.slice(1, 13), 'twenty', 'fifty', 'a hundred', 'a thousand'];

/** Returns a question that pico can't answer, and the answer that says so. */
export function declined(dice: Dice): { question: string; answer: string } {
  const { ask, answer } = dice.pick([declines[0], ...declines] as Decline[]);
  return { question: say(dice, dice.pick(ask), declineSlots(dice)), answer: expand(dice, answer) };
}

function declineSlots(dice: Dice): Slots {
  const cased = (list: readonly string[]) => (dice.chance(0.3) ? dice.pick(list).toLowerCase() : dice.pick(list));
  const animal = dice.pick(w.ANIMALS);
  const noun = dice.pick(w.NOUNS);
  return {
    country: cased(w.COUNTRIES),
    country2: cased(w.COUNTRIES),
    city: dice.chance(0.5) ? cased(w.CITIES) : w.name(dice, w.CITIES),
    city2: cased(w.CITIES),
    person: cased(w.PEOPLE),
    name: w.name(dice, w.FIRST_NAMES),
    made: dice.chance(0.5) ? w.title(w.madeUpWord(dice)) : w.madeUpWord(dice),
    topic: cased(w.TOPICS),
    animal,
    animals: `${animal}s`,
    noun,
    nouns: `${noun}s`,
    noun2: dice.pick(w.NOUNS),
    adj: dice.pick(w.ADJECTIVES),
    verb: dice.pick(w.VERBS),
    verbs: `${dice.pick(w.VERBS)}s`,
    food: dice.pick(w.FOODS),
    number: w.numberText(dice),
    number2: w.numberText(dice),
    numberWord: dice.pick(AMOUNTS),
    numberWord2: dice.pick(AMOUNTS),
    digit: String(dice.between(0, 9)),
    code: cased(w.PROGRAMMING_LANGUAGES),
    language: cased(w.HUMAN_LANGUAGES),
  };
}
