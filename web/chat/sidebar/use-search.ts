import { useEffect, useState } from 'preact/hooks';
import { useActions } from '../state/use-actions.ts';
import type { SearchHit } from './search.ts';

/** The wait after the last letter before all messages are looked through, in ms. */
const PAUSE_MS = 150;

/** Where words were found. Titles are not looked at. */
export interface ChatSearchResult {
  words: string;
  /** By the id of the conversation. */
  places: ReadonlyMap<string, SearchHit>;
}

/** Looks for words in all messages; `''` looks for nothing. Null until the first result, and while nothing is looked for. */
export function useSearch(words: string): ChatSearchResult | null {
  const { search } = useActions();
  const [found, setFound] = useState<ChatSearchResult | null>(null);
  useEffect(() => {
    if (words === '') return setFound(null);
    const stopper = new AbortController();
    const look = async () => {
      const places = await search.find(words, stopper.signal);
      if (!stopper.signal.aborted) setFound({ words, places });
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopper.abort();
    };
  }, [words, search]);
  return found;
}
