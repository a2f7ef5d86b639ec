/** Something wrong in a models folder. */
export interface CatalogueProblem {
  message: string;
  /** The path of the file. */
  file: string;
  reason: string;
  /**
   * Only for an incomplete file: its size and the size it should have, in bytes. The size grows while the file is
   * copied; the problem is still the same one.
   */
  sizes?: { size: number; expected: number };
}

/** Returns a key that is equal for two problems if they are the same problem. */
export function problemKey({ message, file, reason }: CatalogueProblem): string {
  return JSON.stringify([message, file, reason]);
}
