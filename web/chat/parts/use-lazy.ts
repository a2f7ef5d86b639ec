import { useEffect, useState } from 'preact/hooks';
import type { Lazy } from './lazy.ts';

/**
 * Returns the part once it is fetched; null before that, and if it can't be fetched. Fetches it if `wanted` is true.
 */
export function useLazy<Part>(part: Lazy<Part>, wanted = true): Part | null {
  const [fetched, setFetched] = useState(part.now);
  const missing = wanted && fetched === null;
  useEffect(() => {
    if (missing) part.load().then(setFetched, () => {});
  }, [missing]);
  return part.now ?? fetched;
}
