/**
 * The size of a small model, in bytes. One thread computes a token of it in about the time that two threads need to
 * wait for one another. Two threads are no faster on an idle machine, and took up to nine times as long while other
 * programs used the cores.
 */
const SMALL_MODEL_BYTES = 8 * 1024 * 1024;

/** Returns the most threads that make a model faster whose files have this many bytes. */
export function mostUsefulThreads(fileBytes: number): number {
  return fileBytes <= SMALL_MODEL_BYTES ? 1 : Number.POSITIVE_INFINITY;
}
