import { beginningAtEnd } from '../utils/beginning-at-end.ts';

/** Passes text on up to the first stop sequence. The result does not depend on how the text is cut into pieces. */
export interface StopFilter {
  /** Returns the text that is now known not to belong to a stop sequence; '' after a stop. */
  push(text: string): string;
  /** Returns the text that is still held back. Called when no more text comes. */
  flush(): string;
  /** True once a stop sequence was reached. */
  readonly stopped: boolean;
  /** The stop sequence that was reached; undefined before. */
  readonly reached: string | undefined;
}

/**
 * Makes the filter of one reply. Texts match if `fold` makes them equal; by default only equal texts match. `fold` must
 * keep the length of a text.
 */
export function createStopFilter(stops: string[], fold: (text: string) => string = (text) => text): StopFilter {
  const sequences = stops.map(fold);
  let held = '';
  let stopped = false;
  let reached: string | undefined;

  return {
    get stopped() {
      return stopped;
    },
    get reached() {
      return reached;
    },
    push(text) {
      if (stopped) return '';
      if (sequences.length === 0) return text;
      held += text;
      const folded = fold(held);
      const completed = firstCompleted(folded, sequences);
      const end = completed?.begin ?? -1;
      stopped = completed !== null;
      if (completed) reached = stops[completed.index];
      const safe = stopped ? end : held.length - longestPartialMatch(folded, sequences);
      const passed = held.slice(0, safe);
      held = stopped ? '' : held.slice(safe);
      return passed;
    },
    flush() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/**
 * Finds the stop sequence that ends first, and returns its beginning and its index. The first end counts, not the first
 * beginning, because a text that comes in pieces stops at the first end too.
 */
function firstCompleted(text: string, sequences: string[]): { begin: number; index: number } | null {
  let found: { begin: number; index: number } | null = null;
  let end = Number.POSITIVE_INFINITY;
  for (const [index, sequence] of sequences.entries()) {
    const begin = text.indexOf(sequence);
    const completed = begin + sequence.length;
    if (begin === -1 || completed > end || (completed === end && found && begin > found.begin)) continue;
    found = { begin, index };
    end = completed;
  }
  return found;
}

/** Returns the length of the longest end of the text that may be the beginning of a stop sequence. */
function longestPartialMatch(text: string, sequences: string[]): number {
  let longest = 0;
  for (const sequence of sequences) longest = Math.max(longest, beginningAtEnd(text, sequence));
  return longest;
}

const WITH_CASE = /[\p{Changes_When_Uppercased}\p{Changes_When_Lowercased}]/gu;

/** Removes the case of each letter. Letters whose length would change stay as they are. */
export function foldCase(text: string): string {
  // Most text is ASCII, where each letter has one counterpart.
  return /\P{ASCII}/u.test(text) ? text.replace(WITH_CASE, foldLetter) : text.toLowerCase();
}

function foldLetter(letter: string): string {
  // First to upper case: a letter with two lower cases, like sigma, has only one upper case.
  const folded = letter.toUpperCase().toLowerCase();
  return folded.length === letter.length ? folded : letter;
}
