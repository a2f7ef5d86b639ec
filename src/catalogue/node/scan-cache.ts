/** Keeps what was worked out of files for as long as every scan asks for it. */
export interface Memory<T> {
  /** What is remembered under the key, else what `make` makes. */
  recall(key: string, make: () => T): T;
  /** A scan is over: forgets what it did not ask for. */
  sweep(): void;
}

export function createMemory<T>(): Memory<T> {
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
