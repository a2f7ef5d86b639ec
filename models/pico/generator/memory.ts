import { readData } from './data.ts';
import type { Dice } from './dice.ts';
import { CORRECTED_ALONE, type PhraseEntry, phrasesOf } from './frames.ts';
import { expand, say } from './phrases.ts';
import * as w from './words.ts';

/** A fact that a user tells and later asks for. Its phrases contain it as `$v`. */
interface FactData {
  id: string;
  /** The answer to the statement of the fact. */
  noted: string;
  /** The answer to the question for the fact. */
  recalled: string;
  /** The answer to the question if the fact was never told. */
  unknown: string;
  /** System messages that state the fact about the user. */
  system?: string[];
  /** Statements that can be joined with another statement in a sentence. */
  plain: string[];
  tell: PhraseEntry[];
  /** Later messages that change the fact. */
  correct: PhraseEntry[];
  ask: string[];
}

interface Fact extends FactData {
  value: Value;
  tell: string[];
  correct: string[];
}

type Value = (dice: Dice) => string;

const oneOf =
  (list: readonly string[]): Value =>
  (dice) =>
    dice.chance(0.55) ? dice.pick(list) : w.madeUpWord(dice);
const someName =
  (known: readonly string[]): Value =>
  (dice) =>
    w.name(dice, known);

/** The function that makes the value of each fact, by the id of the fact. */
const VALUES: Record<string, Value> = {
  name: someName(w.FIRST_NAMES),
  city: someName(w.CITIES),
  colour: oneOf(w.COLOURS),
  food: oneOf(w.FOODS),
  pet: someName(w.FIRST_NAMES),
  job: oneOf(w.JOBS),
  age: (dice) => String(dice.between(5, 99)),
  hobby: oneOf(w.HOBBIES),
  friend: someName(w.FIRST_NAMES),
  number: secret,
};

/** Returns a number, a short code or a word. */
function secret(dice: Dice): string {
  if (dice.chance(0.5)) return w.numberText(dice);
  if (dice.chance(0.5)) return `${w.letters(dice, dice.between(1, 3)).toUpperCase()}${dice.between(1, 999)}`;
  return w.madeUpWord(dice);
}

const facts: Fact[] = readData<FactData[]>('facts').map((fact) => ({
  ...fact,
  tell: phrasesOf(fact.tell),
  correct: phrasesOf(fact.correct),
  value: VALUES[fact.id] ?? unknownFact(fact.id),
}));

function unknownFact(id: string): never {
  throw new Error(`facts.json has ${id}, which no value is made for`);
}

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

const turns = (question: string, answer: string): Turn[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];

/** Makes a conversation in which the user tells a fact and later asks for it. `filler` makes the turns in between. */
export function remembered(dice: Dice, filler: () => Turn[]): Turn[] {
  const told = dice.sample(someFacts(dice), dice.pick([1, 1, 1, 2, 2, 2, 3]));
  const values = new Map<string, string>();
  const talk: Turn[] = dice.chance(0.15) ? filler() : [];
  talk.push(...tellAll(dice, told, values, filler));
  for (let count = dice.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) talk.push(...filler());
  const corrected = dice.chance(0.3) ? dice.pick(told) : undefined;
  if (corrected)
    talk.push(
      ...tell(dice, corrected, correctionsOf(dice, corrected, told), values),
      ...(dice.chance(0.3) ? filler() : []),
    );
  const asked = dice.chance(0.12) ? dice.pick(facts) : corrected && dice.chance(0.7) ? corrected : dice.pick(told);
  talk.push(...recall(dice, asked, values));
  const others = told.filter((fact) => fact !== asked);
  if (others.length > 0 && dice.chance(0.6)) {
    talk.push(...(dice.chance(0.25) ? filler() : []), ...recall(dice, dice.pick(others), values));
  } else if (dice.chance(0.35))
    talk.push(...(dice.chance(0.3) ? filler() : []), ...recall(dice, dice.pick(told), values));
  return talk;
}

/**
 * Returns the facts to choose from. Names, homes, pets and friends are more frequent, because people mention them most.
 */
function someFacts(dice: Dice): Fact[] {
  const kind = dice.between(1, 20);
  if (kind <= 8) return facts.slice(0, 2);
  if (kind <= 12) return facts.filter(({ id }) => ['name', 'city', 'pet', 'friend'].includes(id));
  return facts;
}

/** Returns the corrections of a fact. If several facts were told, a correction must name its fact. */
function correctionsOf(dice: Dice, { correct }: Fact, told: Fact[]): string[] {
  if (told.length === 1) return dice.chance(0.4) ? CORRECTED_ALONE : correct;
  return correct.filter((phrase) => !/^(\{?[a-z, |]*\}?,? )?(i meant|make that|it is|i would prefer) \$v/.test(phrase));
}

function tellAll(dice: Dice, told: Fact[], values: Map<string, string>, filler: () => Turn[]): Turn[] {
  const [first, second] = told;
  if (first && second && told.length === 2 && dice.chance(0.55)) return tellTwo(dice, [first, second], values);
  return told.flatMap((fact) => [...tell(dice, fact, fact.tell, values), ...(dice.chance(0.25) ? filler() : [])]);
}

/** Makes a conversation in which the user asks for a fact that was never told. */
export function neverTold(dice: Dice, filler: () => Turn[]): Turn[] {
  return [...(dice.chance(0.4) ? filler() : []), ...recall(dice, dice.pick(facts), new Map())];
}

/** Makes a conversation in which the system message tells a fact about the user. */
export function toldBySystem(dice: Dice, filler: () => Turn[]): { system: string; talk: Turn[] } {
  const { phrase, fact } = dice.pick(facts.flatMap((fact) => (fact.system ?? []).map((phrase) => ({ phrase, fact }))));
  const v = fact.value(dice);
  const talk = [...(dice.chance(0.4) ? filler() : []), ...recall(dice, fact, new Map([[fact.id, v]]))];
  return { system: expand(dice, phrase, { v }), talk };
}

function tell(dice: Dice, fact: Fact, phrases: string[], values: Map<string, string>): Turn[] {
  const v = fact.value(dice);
  values.set(fact.id, v);
  return turns(
    say(dice, dice.pick(phrases), slotsOf(v)),
    expand(dice, fact.noted, { ...slotsOf(v), v: capital(fact.noted, v) }),
  );
}

function statement(dice: Dice, fact: Fact, plain: boolean): string {
  return dice.pick(plain ? fact.plain : fact.tell);
}

function tellTwo(dice: Dice, [first, second]: [Fact, Fact], values: Map<string, string>): Turn[] {
  const v = first.value(dice);
  const u = second.value(dice);
  values.set(first.id, v).set(second.id, u);
  const plain = dice.chance(0.7);
  const link = dice.pick([
    ' and ',
    ', ',
    ' and ',
    '. ',
    ', and ',
    ' and also ',
    ' while ',
    '; ',
    ', also ',
    ' and by the way ',
  ]);
  const question = say(
    dice,
    `${statement(dice, first, plain)}${link}${statement(dice, second, plain).replaceAll('$v', '$u').replaceAll('$a', '$b')}`,
    { ...slotsOf(v), u, b: slotsOf(u).a },
  );
  const answer =
    first.id === 'name' ? `Nice to meet you, ${v}! I will remember that.` : 'Good to know! I will remember that.';
  return turns(question, answer);
}

function recall(dice: Dice, fact: Fact, values: Map<string, string>): Turn[] {
  const v = values.get(fact.id);
  return turns(
    say(dice, dice.pick(fact.ask)),
    v === undefined ? fact.unknown : expand(dice, fact.recalled, slotsOf(v)),
  );
}

function slotsOf(v: string) {
  const a = /^[aeiou]/i.test(v) ? 'an' : 'a';
  return { v, a, A: w.title(a) };
}

/** Returns a value with a capital letter if the answer begins with it. */
function capital(answer: string, value: string): string {
  return answer.startsWith('$v') ? w.title(value) : value;
}
