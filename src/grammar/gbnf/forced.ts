import type { GrammarProgress } from './follow.ts';
import { contains, type Range } from './ranges.ts';

/** A text that the grammar forces: no other text can come next. */
export interface Forced {
  text: string;
  /** The state of the grammar after the text. */
  reached: GrammarProgress;
}

/** The longest forced text that is returned at once, in characters. */
const MOST_CHARACTERS = 256;

/** Returns the text that has to come next; the empty text if there is a choice, or if the reply may end. */
export function forcedText(from: GrammarProgress): Forced {
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

/** True if no character can follow. */
export function isComplete({ next, mayEnd }: GrammarProgress): boolean {
  return mayEnd && next.length === 0;
}

function onlyCharacter({ next, mayEnd }: GrammarProgress): number | undefined {
  const [range] = next;
  return !mayEnd && next.length === 1 && range && range[0] === range[1] ? range[0] : undefined;
}

/** One character of each kind that tokenizers treat differently. */
const KINDS = Array.from(' \n"\\-[]{}:,.aA0é漢', (character) => character.codePointAt(0) ?? 0);
/** All characters of a range are taken if there are no more than this. */
const FEW = 8;

/**
 * Returns texts that may come next: for every kind of character that is allowed, one such character and the forced text
 * after it. The last tokens of a forced text are certain only if they are the same before each of these texts.
 */
export function continuations(from: GrammarProgress): string[] {
  const few = from.next.flatMap(([first, last]: Range) =>
    last - first < FEW ? Array.from({ length: last - first + 1 }, (_, offset) => first + offset) : [first],
  );
  const taken = new Set([...KINDS.filter((kind) => contains(from.next, kind)), ...few.slice(0, 4 * FEW)]);
  return [...taken].map((codePoint) => {
    const reached = from.after(codePoint);
    return String.fromCodePoint(codePoint) + (reached ? forcedText(reached).text.slice(0, FEW) : '');
  });
}

/** For each character after which a space is optional: true if the reply last wrote a space there. */
export type Spacing = Map<number, boolean>;

const SPACE = 0x20;
/** No JSON value begins with `z`. */
const LATER_LETTER = 0x7a;
/** The length of the longest likely text, in characters. */
const MOST_LIKELY = 64;

/**
 * Records in `spacing` whether `codePoint` is a space, if a space is optional here. `before` is the character before
 * it.
 */
export function noteSpacing(spacing: Spacing, at: GrammarProgress, before: number, codePoint: number): void {
  if (leavesSpaceOpen(at)) spacing.set(before, codePoint === SPACE);
}

/**
 * Returns a text that is likely to come next: the forced text, with an optional space if the reply last wrote one after
 * the same character. The first guess is a space after a colon and a comma, as in most JSON. `before` is the character
 * before the text.
 */
export function likelyText(from: GrammarProgress, before: number, spacing: Spacing): string {
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

/** True if a space is optional here, between two parts of JSON. Inside a string, letters may come too. */
function leavesSpaceOpen({ next, mayEnd }: GrammarProgress): boolean {
  return !mayEnd && next.length > 1 && contains(next, SPACE) && !contains(next, LATER_LETTER);
}

function openSpace(at: GrammarProgress, spaced: boolean): number | undefined {
  if (!leavesSpaceOpen(at)) return undefined;
  if (spaced) return SPACE;
  const others = at.next.filter(([first, last]) => first !== SPACE || last !== SPACE);
  const [range] = others;
  return others.length === 1 && range && range[0] === range[1] ? range[0] : undefined;
}
