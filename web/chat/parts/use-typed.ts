import { useEffect, useState } from 'preact/hooks';

/** A field whose text takes effect only when the person leaves it or presses Enter. */
export interface Typed {
  /** The text that the field shows. */
  shown: string;
  /** Must be called with the text at each input. */
  type: (text: string) => void;
  /** Must be called when the typed text takes effect. */
  done: () => void;
}

/**
 * Keeps the text that a person is typing. Without this, a redraw would replace it with the stored value, `counts`. A
 * new stored value replaces the typed text.
 */
export function useTyped(counts: string): Typed {
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [counts]);
  return { shown: typed ?? counts, type: setTyped, done: () => setTyped(null) };
}
