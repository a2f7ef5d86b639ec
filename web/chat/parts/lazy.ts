import { useEffect, useState } from 'preact/hooks';

/** A part of the page that is fetched when it is first needed. */
export interface Lazy<Part> {
  /** Null until it has come. */
  now: Part | null;
  /** Fetches it once. If that failed, the next call tries again. */
  load(): Promise<Part>;
}

export function lazy<Part>(fetchPart: () => Promise<Part>): Lazy<Part> {
  let loading: Promise<Part> | null = null;
  const part: Lazy<Part> = {
    now: null,
    load() {
      loading ??= fetchPart().then(
        (fetched) => {
          part.now = fetched;
          return fetched;
        },
        (error: unknown) => {
          loading = null;
          throw error;
        },
      );
      return loading;
    },
  };
  return part;
}

/** Returns the part as soon as it is there; null before, and if it can't be fetched. */
export function useLazy<Part>(part: Lazy<Part>, wanted = true): Part | null {
  const [fetched, setFetched] = useState(part.now);
  const missing = wanted && fetched === null;
  useEffect(() => {
    if (missing) part.load().then(setFetched, () => {});
  }, [missing]);
  return part.now ?? fetched;
}
