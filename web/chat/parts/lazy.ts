/** A part of the page that is fetched when it is first needed. */
export interface Lazy<Part> {
  /** Null until it is fetched. */
  now: Part | null;
  /** Fetches the part once. If that failed, the next call tries again. */
  load(): Promise<Part>;
}

/** Returns a part that `fetchPart` fetches, such as a dynamic import. */
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
