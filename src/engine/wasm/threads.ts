/**
 * One thread computes a token of so small a model, in bytes, in about the time that two need to wait for one another: two are no
 * faster on a quiet machine, and where other programs want the cores they took up to nine times as long.
 */
const SMALL_MODEL_BYTES = 8 * 1024 * 1024;

/** The most threads that help a model whose files have so many bytes. */
export function mostUsefulThreads(fileBytes: number): number {
  return fileBytes <= SMALL_MODEL_BYTES ? 1 : Number.POSITIVE_INFINITY;
}
