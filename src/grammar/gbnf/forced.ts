import type { Reached } from './follow.ts';
import { contains, type Range } from './ranges.ts';

/** The part of a text that can come in only one way. */
export interface Forced {
  text: string;
  /** How far the text is after it. */
  reached: Reached;
}

/** Longest forced text that is followed at a time, in characters. */
const MOST_CHARACTERS = 256;

/** Returns what has to come next; the empty text if there is a choice or the text may end. */
export function forcedText(from: Reached): Forced {
  const forced: Forced = { text: '', reached: from };
  for (let count = 0; count < MOST_CHARACTERS; count++) {
    const only = onlyCharacter(forced.reached);
    const reached = only === undefined ? undefined : forced.reached.after(only);
    if (only === undefined || !reached) break;
    forced.text += String.fromCodePoint(only);
    forced.reached = reached;
  }
  return forced;
}

/** True if nothing can come any more. */
export function isComplete({ next, mayEnd }: Reached): boolean {
  return mayEnd && next.length === 0;
}

function onlyCharacter({ next, mayEnd }: Reached): number | undefined {
  const [range] = next;
  return !mayEnd && next.length === 1 && range && range[0] === range[1] ? range[0] : undefined;
}

/** Characters of the kinds that tokenizers tell apart. */
const KINDS = Array.from(' \n"\\-[]{}:,.aA0é漢', (character) => character.codePointAt(0) ?? 0);
/** All characters of a range are taken if there are no more than this. */
const FEW = 8;

/**
 * Returns texts that may come next, a few characters each: one for every kind of character that is allowed, and what is forced
 * behind it. A forced text's last tokens must be the same before all of them.
 */
export function continuations(from: Reached): string[] {
  const few = from.next.flatMap(([first, last]: Range) =>
    last - first < FEW ? Array.from({ length: last - first + 1 }, (_, offset) => first + offset) : [first],
  );
  const taken = new Set([...KINDS.filter((kind) => contains(from.next, kind)), ...few.slice(0, 4 * FEW)]);
  return [...taken].map((codePoint) => {
    const reached = from.after(codePoint);
    return String.fromCodePoint(codePoint) + (reached ? forcedText(reached).text.slice(0, FEW) : '');
  });
}

/** After which characters a space came, of those behind which the grammar leaves it open. */
export type Spacing = Map<number, boolean>;

const SPACE = 0x20;
/** `z` begins no value of JSON. */
const LATER_LETTER = 0x7a;
/** Longest likely text, in characters. */
const MOST_LIKELY = 64;

/** Notes in `spacing` how a text went on where a space was possible. `before` is the character before `codePoint`. */
export function noteSpacing(spacing: Spacing, at: Reached, before: number, codePoint: number): void {
  if (leavesSpaceOpen(at)) spacing.set(before, codePoint === SPACE);
}

/**
 * Returns a text that is likely to come next: what is forced, and where a space is possible, one if there was one the last time.
 * JSON is mostly written with a space after a colon and a comma, so that is taken at first. `before` is the character before it.
 */
export function likelyText(from: Reached, before: number, spacing: Spacing): string {
  let [text, at, last] = ['', from, before];
  while (text.length < MOST_LIKELY) {
    const taken = onlyCharacter(at) ?? openSpace(at, spacing.get(last) ?? true);
    const reached = taken === undefined ? undefined : at.after(taken);
    if (taken === undefined || !reached) break;
    text += String.fromCodePoint(taken);
    [at, last] = [reached, taken];
  }
  return text;
}

/** True if a space may come here but no word with any letter, as between the parts of JSON and unlike inside a string. */
function leavesSpaceOpen({ next, mayEnd }: Reached): boolean {
  return !mayEnd && next.length > 1 && contains(next, SPACE) && !contains(next, LATER_LETTER);
}

function openSpace(at: Reached, spaced: boolean): number | undefined {
  if (!leavesSpaceOpen(at)) return undefined;
  if (spaced) return SPACE;
  const others = at.next.filter(([first, last]) => first !== SPACE || last !== SPACE);
  const [range] = others;
  return others.length === 1 && range && range[0] === range[1] ? range[0] : undefined;
}
