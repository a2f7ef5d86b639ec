import { readData } from './data.ts';

/** Sentences around a phrase, which they call `$phrase`. */
interface Frames {
  told: string[];
  corrected: string[];
  correctedAlone: string[];
  wanted: string[];
  ordered: string[];
}

/** A phrase, or phrases with the kind of sentences around them. */
export type PhraseEntry =
  | string
  /** Facts that somebody tells. */
  | { told: string[] }
  /** Facts that replace an earlier fact. */
  | { corrected: string[] }
  /** Things that somebody would like to have. */
  | { wanted: string[] }
  /** Orders to do something. */
  | { ordered: string[] };

const frames = readData<Frames>('frames');

/** Phrases that correct the last statement. */
export const CORRECTED_ALONE = frames.correctedAlone;

/** Returns all phrases of a list of the corpus, with and without sentences around them. */
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
