import type { Dice } from './dice.ts';
import { AFTER, BEFORE, paraphrase } from './paraphrase.ts';

/** The texts that replace `$name` in a phrase. */
export type Slots = Record<string, string>;

type Part = string | Part[][];

const parsed = new Map<string, Part[]>();

/**
 * Picks one of the texts that a phrase stands for: `{a|b}` is `a` or `b`, `[a]` is `a` or nothing, and `$name` is a slot
 * that `slots` fills. Throws where braces or brackets do not match.
 */
export function expand(dice: Dice, phrase: string, slots: Slots = {}): string {
  return fill(tidy(choose(dice, phrase)), slots);
}

/**
 * Returns a message of a user: a phrase in other words, with courtesies and typing mistakes. The values of the slots
 * stay unchanged.
 */
export function say(dice: Dice, phrase: string, slots: Slots = {}): string {
  let text = tidy(paraphrase(dice, tidy(choose(dice, phrase))));
  if (dice.chance(0.3)) text = wrap(dice, text);
  if (dice.chance(0.35)) text = shorten(text);
  if (dice.chance(0.12)) text = dropWord(dice, text);
  if (dice.chance(0.12)) text = mistype(dice, text);
  text = punctuate(dice, text);
  if (dice.chance(0.6)) text = capitalize(text);
  else if (dice.chance(0.05)) text = upper(text);
  return fill(text, slots);
}

function choose(dice: Dice, phrase: string): string {
  let parts = parsed.get(phrase);
  if (!parts) {
    parts = parse(phrase);
    parsed.set(phrase, parts);
  }
  return write(dice, parts);
}

function write(dice: Dice, parts: Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : write(dice, dice.pick(part)))).join('');
}

/** The part of a phrase that is not read yet. */
interface Reader {
  rest: string;
}

function parse(phrase: string): Part[] {
  const reader = { rest: phrase };
  const parts = readParts(reader);
  if (reader.rest !== '') throw new Error(`unbalanced: ${phrase}`);
  return parts;
}

/** Reads parts up to the end of a choice. */
function readParts(reader: Reader): Part[] {
  const parts: Part[] = [];
  for (;;) {
    const text = /^[^{}[\]|]*/.exec(reader.rest)?.[0] ?? '';
    if (text !== '') parts.push(text);
    reader.rest = reader.rest.slice(text.length);
    if (!/^[{[]/.test(reader.rest)) return parts;
    parts.push(readChoices(reader));
  }
}

function readChoices(reader: Reader): Part[][] {
  const optional = reader.rest.startsWith('[');
  const choices: Part[][] = optional ? [[]] : [];
  do {
    reader.rest = reader.rest.slice(1);
    choices.push(readParts(reader));
  } while (reader.rest.startsWith('|'));
  if (!reader.rest.startsWith(optional ? ']' : '}')) throw new Error(`unbalanced before: ${reader.rest}`);
  reader.rest = reader.rest.slice(1);
  return choices;
}

function tidy(text: string): string {
  return text
    .replace(/ +/g, ' ')
    .replace(/ ([,.?!:])/g, '$1')
    .trim();
}

function fill(text: string, slots: Slots): string {
  return text.replace(/\$([a-zA-Z]\w*)/g, (whole, name: string) => slots[name] ?? whole);
}

function wrap(dice: Dice, text: string): string {
  const before = dice.chance(0.65) ? dice.pick(BEFORE) : '';
  const [, body = text, end = ''] = /^(.*?)([.?!]*)$/s.exec(text) ?? [];
  return before + body + (before === '' || dice.chance(0.2) ? dice.pick(AFTER) : '') + end;
}

const SHORT: [RegExp, string][] = [
  [/\b(what|who|where|how|that|it|there) is\b/g, "$1's"],
  [/\bi am\b/gi, "I'm"],
  [/\b(you|we|they) are\b/g, "$1're"],
  [/\b(do|does|did|is|are|was|have|has|could|would|should) not\b/g, "$1n't"],
  [/\bcannot\b/g, "can't"],
  [/\bi would\b/gi, "I'd"],
  [/\bi have\b/gi, "I've"],
  [/\bi will\b/gi, "I'll"],
];

function shorten(text: string): string {
  return SHORT.reduce((short, [pattern, replacement]) => short.replace(pattern, replacement), text);
}

/** Returns the words outside of slots, with their positions. */
function plainWords(text: string): RegExpExecArray[] {
  return [...text.matchAll(/(?<![$\w'])[a-z]{2,}(?![\w'])/gi)] as RegExpExecArray[];
}

function dropWord(dice: Dice, text: string): string {
  const words = plainWords(text);
  if (words.length < 4) return text;
  const word = dice.pick(words);
  return tidy(text.slice(0, word.index) + text.slice(word.index + word[0].length));
}

function mistype(dice: Dice, text: string): string {
  const words = plainWords(text).filter((word) => word[0].length > 3);
  if (words.length === 0) return text;
  const word = dice.pick(words);
  const at = word.index + dice.between(1, word[0].length - 2);
  const here = text[at] as string;
  const next = text[at + 1] as string;
  const slip = dice.pick([next + here, here, here + here + next, next]);
  return text.slice(0, at) + slip + text.slice(at + 2);
}

const QUESTION =
  /(^|[,.!:] |\b(and|so|but|then|now|know|tell me|wonder|curious) )(what|who|where|when|why|which|how|whose|whom|is|are|am|do|does|did|can|could|will|would|should|may|have|has|was|were|any)\b/i;

function punctuate(dice: Dice, text: string): string {
  if (/[.?!]$/.test(text)) {
    if (dice.chance(0.35)) return text.replace(/[.?!]+$/, '');
    return dice.chance(0.05) ? text + text.at(-1) : text;
  }
  if (QUESTION.test(text))
    return dice.chance(0.62) ? text + dice.pick(['?', '?', '?', '?', '?', '??', ' ?', '.', '?!']) : text;
  return dice.chance(0.4) ? text + dice.pick(['.', '.', '.', '!', '!', '...', '!!']) : text;
}

function capitalize(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/\bi\b/g, 'I');
}

function upper(text: string): string {
  return text.replace(/\$?[a-zA-Z]+/g, (word) => (word.startsWith('$') ? word : word.toUpperCase()));
}
