import { readData } from './data.ts';

/** Sentences around a phrase, which they call `$phrase`. */
interface Frames {
  told: string[];
  corrected: string[];
  correctedAlone: string[];
  wanted: string[];
  ordered: string[];
}

/** A phrase, or phrases and what is to be said around each of them. */
export type PhraseEntry =
  | string
  /** Facts that somebody tells. */
  | { told: string[] }
  /** Facts that replace what was told before. */
  | { corrected: string[] }
  /** Things that somebody would like to have. */
  | { wanted: string[] }
  /** Orders to do something. */
  | { ordered: string[] };

const frames = readData<Frames>('frames');

/** Ways to correct the last thing that was said. */
export const CORRECTED_ALONE = frames.correctedAlone;

/** All phrases of a list of the corpus, those with something around them included. */
export function phrasesOf(entries: PhraseEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    if ('told' in entry) return frames.told.flatMap((frame) => entry.told.map((phrase) => fill(frame, phrase)));
    if ('corrected' in entry) {
      const anyOfThem = `{${entry.corrected.join('|')}}`;
      return frames.corrected.map((frame) => fill(frame, anyOfThem));
    }
    if ('wanted' in entry) return entry.wanted.flatMap((phrase) => frames.wanted.map((frame) => fill(frame, phrase)));
    return entry.ordered.flatMap((phrase) => frames.ordered.map((frame) => fill(frame, phrase)));
  });
}

function fill(frame: string, phrase: string): string {
  return frame.replaceAll('$phrase', () => phrase);
}
