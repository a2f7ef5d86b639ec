import { useEffect, useState } from 'preact/hooks';
import { useActions } from '../state/use-actions.ts';
import type { SearchHit } from './search.ts';

/** The delay between the last key and the search of all messages, in ms. */
const PAUSE_MS = 150;

/** The matches in messages. Titles are not searched here. */
export interface ChatSearchResult {
  words: string;
  /** The latest match in each conversation, by its id. */
  places: ReadonlyMap<string, SearchHit>;
}

/** Searches all messages for words. Returns null until the first result, and if `words` is ''. */
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
