import { useEffect, useState } from 'preact/hooks';

/** A field whose text counts only when a person is done with it. */
export interface Typed {
  /** What the field shows. */
  shown: string;
  /** To be told each letter. */
  type: (text: string) => void;
  /** To be told that what was typed counts now. */
  done: () => void;
}

/** Keeps what a person is typing: a field that is drawn anew meanwhile would show again what counts. If that changes, it is shown. */
export function useTyped(counts: string): Typed {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [counts]);
  return { shown: typed ?? counts, type: setTyped, done: () => setTyped(null) };
}
