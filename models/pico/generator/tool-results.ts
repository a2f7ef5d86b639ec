import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { pythonJson } from './json.ts';
import * as w from './words.ts';

const {
  keys: KEYS,
  states: STATES,
  errors: ERRORS,
  done: DONE,
} = readData<Record<'keys' | 'states' | 'errors' | 'done', string[]>>('tool-results');

/** Makes the result of a tool and the answer about it. `values` are the arguments of the call. */
export function result(dice: Dice, values: unknown[]): { content: string; answer: string } {
  const kind = dice.between(1, 20);
  if (kind <= 9) return fields(dice, values);
  if (kind <= 12) {
    const text = sentence(dice);
    return {
      content: dice.chance(0.25) ? JSON.stringify(text) : text,
      answer: `The answer is: ${text}${/[.!?]$/.test(text) ? '' : '.'}`,
    };
  }
  if (kind <= 14) {
    const number = scalar(dice, true);
    return { content: number, answer: `The answer is ${number}.` };
  }
  if (kind <= 16) return found(dice);
  if (kind <= 18) {
    const content = dice.pick(DONE);
    return { content, answer: 'Done!' };
  }
  const error = dice.chance(0.6) ? dice.pick(ERRORS) : w.words(dice, dice.between(1, 4));
  const content = dice.pick([
    `{"error": ${JSON.stringify(error)}}`,
    `Error: ${error}`,
    `error: ${error}`,
    `{"error":${JSON.stringify(error)}}`,
    `failed: ${error}`,
  ]);
  return { content, answer: `That did not work: ${error}.` };
}

function fields(dice: Dice, values: unknown[]): { content: string; answer: string } {
  const names = dice
    .sample(KEYS, dice.pick([1, 1, 2, 2, 3]))
    .map((key) => (dice.chance(0.12) ? w.madeUpWord(dice) : key));
  const entries = new Map<string, unknown>();
  for (const name of names) entries.set(name, fieldValue(dice, values));
  const object = Object.fromEntries(entries);
  const content = dice.chance(0.6) ? pythonJson(object) : JSON.stringify(object);
  const parts = [...entries].map(
    ([name, value], index) => `${index === 0 ? 'The' : 'the'} ${name.replaceAll('_', ' ')} is ${String(value)}`,
  );
  const answer = parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
  return { content, answer: `${answer}.` };
}

function fieldValue(dice: Dice, values: unknown[]): unknown {
  const kind = dice.between(1, 10);
  if (kind <= 4) return Number(scalar(dice, false));
  if (kind === 5 && values.length > 0) return dice.pick(values);
  if (kind === 6) return w.name(dice, dice.chance(0.5) ? w.CITIES : w.FIRST_NAMES);
  if (kind === 7) return w.words(dice, dice.between(1, 3));
  if (kind === 8)
    return dice.pick([
      `${dice.between(0, 23)}:${dice.between(10, 59)}`,
      `${w.letters(dice, 2).toUpperCase()}${dice.between(1, 999)}`,
      `20${dice.between(20, 39)}-0${dice.between(1, 9)}-${dice.between(10, 28)}`,
      `${dice.between(1, 900)} ${dice.pick(['km', 'euros', 'dollars', 'minutes', 'kg', 'degrees', 'percent'])}`,
    ]);
  return dice.pick(STATES);
}

function scalar(dice: Dice, signs: boolean): string {
  const whole = dice.pick([
    () => dice.between(0, 40),
    () => dice.between(0, 100),
    () => dice.between(100, 9999),
    () => dice.between(10000, 999999),
  ])();
  const text = dice.chance(0.25) ? `${whole}.${dice.between(1, 9)}` : String(whole);
  return signs || dice.chance(0.1) ? (dice.chance(0.1) ? `-${text.replace(/^0(?=$)/, '1')}` : text) : text;
}

function sentence(dice: Dice): string {
  const state = dice.pick(STATES);
  const place = w.name(dice, w.CITIES);
  const person = w.name(dice, w.FIRST_NAMES);
  const noun = dice.pick(w.NOUNS);
  return dice.pick([
    `${state}, ${dice.between(-9, 39)} degrees`,
    `${dice.between(-9, 39)} degrees and ${state}`,
    `${dice.between(0, 23)}:${dice.between(10, 59)}`,
    `It is ${state} in ${place}.`,
    `The ${noun} is ${state}.`,
    `${person} lives in ${place}`,
    w.words(dice, dice.between(1, 7)),
    `${w.title(w.words(dice, dice.between(2, 6)))}.`,
    `${person} ${person}`,
    `${dice.between(2, 99)} ${noun}s`,
    `Order ${w.letters(dice, 2).toUpperCase()}${dice.between(1, 99)} is ${state}`,
    place,
    person,
    state,
  ]);
}

function found(dice: Dice): { content: string; answer: string } {
  const list = Array.from({ length: dice.pick([1, 2, 2, 3, 3]) }, () =>
    dice.pick([
      () => w.name(dice, w.FIRST_NAMES),
      () => w.name(dice, w.CITIES),
      () => dice.pick(w.NOUNS),
      () => w.words(dice, 2),
      () => `${w.madeUpWord(dice)}.${dice.pick(['txt', 'md', 'pdf'])}`,
    ])(),
  );
  if (dice.chance(0.1)) return { content: '[]', answer: 'I found nothing.' };
  const said = list.length === 1 ? list[0] : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
  return { content: dice.chance(0.6) ? pythonJson(list) : JSON.stringify(list), answer: `I found ${said}.` };
}
