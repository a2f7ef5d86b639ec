/** Joins the texts of the parts of a recording, whose ends overlap, as the texts are written. */
export interface Joiner {
  /** Adds a piece of the text of the current part. Returns the text that can no longer change. */
  add(piece: string): string;
  /** Ends the current part. Returns the text that can no longer change: all of it after the last part. */
  endPart(isLast: boolean): string;
}

/** The most words at the end of a part, and at the beginning of the next, that may be the same. */
const MOST_WORDS = 14;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** A shorter repetition may be by chance, as of "the". */
const LEAST_LETTERS = 4;

interface Word {
  /** Without case. */
  text: string;
  from: number;
  to: number;
}

/** @param parts the number of parts; a single one is passed on as it comes */
export function createJoiner(parts: number): Joiner {
  /** The last words of the parts before, which the next part may repeat. */
  let held = '';
  /** The text of the current part that is not returned yet. */
  let current = '';
  let index = 0;
  let isJoined = false;
  /** Whether anything has been returned: leading white space is dropped before. */
  let begun = false;

  const say = (text: string) => {
    const shown = begun ? text : text.trimStart();
    begun ||= shown !== '';
    return shown;
  };
  const release = () => {
    // The end of a part is held back until the next part begins.
    const keep = index === parts - 1 ? 0 : current.length - startOfLastWords(current);
    const ready = current.slice(0, current.length - keep);
    current = current.slice(current.length - keep);
    return ready;
  };
  const join = () => {
    current = joinTexts(held, current);
    held = '';
    isJoined = true;
  };

  return {
    add(piece) {
      current += piece;
      if (index > 0 && !isJoined) {
        if (wordsOf(current).length <= MOST_WORDS) return '';
        join();
      }
      return say(release());
    },
    endPart(isLast) {
      if (index > 0 && !isJoined) join();
      const ready = release();
      held = current.trimEnd();
      current = '';
      isJoined = false;
      index += 1;
      return isLast ? say(ready + held).trimEnd() : say(ready);
    },
  };
}

/**
 * Joins two texts of which the second may begin with the last words of the first. The end of the first and the beginning of the second
 * may differ, because each is cut within a word.
 */
export function joinTexts(before: string, after: string): string {
  const [left, right] = [before.trimEnd(), after.trimStart()];
  if (left === '' || right === '') return left + right;
  const ends = wordsOf(left).slice(-MOST_WORDS);
  const starts = wordsOf(right).slice(0, MOST_WORDS);
  const found = longestCommonRun(ends, starts);
  if (!found) return left + (needsSpace(left, right) ? ' ' : '') + right;
  return left.slice(0, found.left.to) + right.slice(found.right.to);
}

/** Finds the longest run of words in both lists, and returns its last word in each. Null if it has too few letters. */
function longestCommonRun(ends: Word[], starts: Word[]): { left: Word; right: Word } | null {
  let best: { left: Word; right: Word; letters: number } | null = null;
  for (let at = 0; at < ends.length; at++)
    for (let from = 0; from < starts.length; from++) {
      let letters = 0;
      for (let length = 0; ; length++) {
        const [left, right] = [ends[at + length], starts[from + length]];
        if (!left || !right || left.text !== right.text) break;
        letters += left.text.length;
        if (letters >= LEAST_LETTERS && letters > (best?.letters ?? 0)) best = { left, right, letters };
      }
    }
  return best;
}

/** Returns the words of a text. In scripts without spaces, the parts that dictionaries have. */
function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push({ text: segment.toLowerCase(), from: index, to: index + segment.length });
  return words;
}

function startOfLastWords(text: string): number {
  return wordsOf(text).at(-MOST_WORDS)?.from ?? 0;
}

/** True if a space belongs between two texts: neither side is of a script without spaces. */
function needsSpace(left: string, right: string): boolean {
  const spaceless =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3001\u3002\uff0c\uff1f\uff01]/u;
  return !(spaceless.test(left.slice(-1)) && spaceless.test(right.charAt(0)));
}
