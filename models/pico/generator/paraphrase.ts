import { readData } from './data.ts';
import type { Dice } from './dice.ts';

interface Paraphrases {
  /** Courtesies before a question, and after it. */
  before: string[];
  after: string[];
  /** Additions to a question that do not change it. They may have slots. */
  tails: string[];
  /** Words that can replace each other nearly everywhere. */
  synonyms: string[][];
  /**
   * `instead` has replacements for texts that match `pattern`, whatever their case. `$1` and `$2` are the groups of the
   * pattern.
   */
  frames: { pattern: string; instead: string[] }[];
}

const data = readData<Paraphrases>('paraphrases');
export const { before: BEFORE, after: AFTER, tails: TAILS } = data;
const FRAMES = data.frames.map(({ pattern, instead }) => [new RegExp(pattern, 'i'), instead] as const);
const synonymsOf = new Map(
  data.synonyms.flatMap((group) => group.filter((word) => !word.includes(' ')).map((word) => [word, group] as const)),
);

/** Returns a text in other words, or unchanged. `text` must be in lower case, except for its slots. */
export function paraphrase(dice: Dice, text: string): string {
  const [, body = text, end = ''] = /^(.*?)([.?!]*)$/s.exec(text) ?? [];
  const framed = dice.chance(0.4) ? reframe(dice, body) : body;
  return (dice.chance(0.3) ? exchangeWord(dice, framed) : framed) + end;
}

function reframe(dice: Dice, text: string): string {
  const fitting = FRAMES.filter(([pattern]) => pattern.test(text));
  if (fitting.length === 0) return text;
  const [pattern, frames] = dice.pick(fitting);
  // `$1` and `$2` are the groups. Every other `$` begins a slot.
  const [, first = '', second = ''] = pattern.exec(text) ?? [];
  return dice
    .pick(frames)
    .replaceAll('$1', () => first)
    .replaceAll('$2', () => second);
}

function exchangeWord(dice: Dice, text: string): string {
  const found = [...text.matchAll(/(?<![$\w'"-])[a-z]+(?![\w'"-])/g)].filter(([word]) => synonymsOf.has(word));
  if (found.length === 0) return text;
  const { 0: word, index } = dice.pick(found);
  return text.slice(0, index) + dice.pick(synonymsOf.get(word) ?? [word]) + text.slice(index + word.length);
}
