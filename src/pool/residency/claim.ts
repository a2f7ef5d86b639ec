/** A shortage of memory, in bytes. */
export interface Shortage {
  needed: number;
  available: number;
  /** True if pinned models hold the rest of the memory, or all the places for models. */
  pinned?: true;
}

/**
 * Waits for `needed` bytes of room. The model's load holds this room until it claims again or fails. Returns the shortage if there can
 * never be enough room. Throws `LoadGivenUp` when no request waits for the model any more.
 */
export type Claim = (needed: number) => Promise<Shortage | null>;

/** Ends a load that waits for room when no request waits for the model any more. */
export class LoadGivenUp extends Error {
  override readonly name = 'LoadGivenUp';
}
