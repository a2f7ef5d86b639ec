/** Keeps values made from files from one scan to the next. A value that a scan does not ask for is dropped. */
export interface ScanCache<T> {
  /** Returns the value kept under the key. If there is none, `make` makes it. */
  recall(key: string, make: () => T): T;
  /** Ends a scan: forgets the values that it did not ask for. */
  sweep(): void;
}

/** Makes an empty cache. What `make` throws passes through `recall`, and nothing is kept then. */
export function createScanCache<T>(): ScanCache<T> {
  let last = new Map<string, T>();
  let current = new Map<string, T>();
  return {
    recall(key, make) {
      const known = current.get(key) ?? last.get(key) ?? make();
      current.set(key, known);
      return known;
    },
    sweep() {
      last = current;
      current = new Map();
    },
  };
}
