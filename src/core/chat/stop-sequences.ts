/** Lets text through up to the first stop sequence, however it is cut into pieces. */
export interface StopFilter {
  /** The text that is now known not to belong to a stop sequence. Gives '' for everything after a stop. */
  push(text: string): string;
  /** The text still held back when no more comes. */
  flush(): string;
  /** Whether a stop sequence was reached. */
  readonly stopped: boolean;
}

/** `fold` makes alike what counts as alike, length for length; by default nothing but the same counts. */
export function createStopFilter(stops: string[], fold: (text: string) => string = (text) => text): StopFilter {
  const sequences = stops.map(fold);
  let held = '';
  let stopped = false;

  return {
    get stopped() {
      return stopped;
    },
    push(text) {
      if (stopped) return '';
      if (sequences.length === 0) return text;
      held += text;
      const folded = fold(held);
      const end = firstCompleted(folded, sequences);
      stopped = end !== -1;
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

/** Where the stop sequence begins that is complete first, so that the same text stops alike in any pieces; -1 for none. */
function firstCompleted(text: string, sequences: string[]): number {
  let begin = -1;
  let end = Number.POSITIVE_INFINITY;
  for (const sequence of sequences) {
    const index = text.indexOf(sequence);
    const completed = index + sequence.length;
    if (index === -1 || completed > end || (completed === end && index > begin)) continue;
    begin = index;
    end = completed;
  }
  return begin;
}

/** Length of the longest end of the text that a stop sequence begins with. */
function longestPartialMatch(text: string, sequences: string[]): number {
  let longest = 0;
  for (const sequence of sequences) {
    for (let length = Math.min(sequence.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(sequence.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** Letters without their case, each by itself and but for the few that change their length by it. */
export function foldCase(text: string): string {
  return Array.from(text, (letter) => {
    // By way of the upper case, which is the same for letters with two lower ones, like sigma.
    const folded = letter.toUpperCase().toLowerCase();
    return folded.length === letter.length ? folded : letter;
  }).join('');
}
