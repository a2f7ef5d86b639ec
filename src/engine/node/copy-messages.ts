/** The kind of storage that holds a copy. */
export type Tier = 'ram' | 'disk';

/** A copy of a sequence's state, as the store announces it to an engine. */
export interface ToldCopy {
  name: string;
  tier: Tier;
  bytes: number;
  /** Only requests of this scope may use the copy. */
  scope: string;
  tokens: Uint32Array;
}

/**
 * A message from an engine to the store of copies. The engine chooses `id`, and the store's answer has the same one.
 */
export type ToCopyStore =
  /** Asks for a file for a state of about `bytes` bytes. The answer is its path, or null if there is no room. */
  | { kind: 'reserve'; id: number; bytes: number; tokens: number }
  /**
   * The reserved file has been written. The store may delete the copies in `replaces`. The answer has no path; it comes
   * after the store has announced the copy or deleted it.
   */
  | { kind: 'saved'; id: number; scope: string; tokens: Uint32Array; evaluateMs: number; replaces: string[] }
  /** The reserved file was not written. */
  | { kind: 'abandoned'; id: number }
  /**
   * Asks for a copy to read. The answer is its path, or null if it is deleted or damaged. The store keeps it until
   * `closed`.
   */
  | { kind: 'open'; id: number; name: string }
  /** The copy is no longer read. If `ok` is false, it could not be loaded, and the store deletes it. */
  | { kind: 'closed'; name: string; ok: boolean };

/** A message from the store of copies to an engine. */
export type FromCopyStore =
  | { kind: 'answer'; id: number; path: string | null }
  | { kind: 'added'; copies: ToldCopy[] }
  | { kind: 'moved'; name: string; tier: Tier }
  | { kind: 'dropped'; name: string };
