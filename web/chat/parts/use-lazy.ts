import { useEffect, useState } from 'preact/hooks';
import type { Lazy } from './lazy.ts';

/** Returns the part as soon as it is there; null before, and if it can't be fetched. */
export function useLazy<Part>(part: Lazy<Part>, wanted = true): Part | null {
  const [fetched, setFetched] = useState(part.now);
  const missing = wanted && fetched === null;
  useEffect(() => {
    if (missing) part.load().then(setFetched, () => {});
  }, [missing]);
  return part.now ?? fetched;
}
