/** Where a copy lies. */
export type Tier = 'ram' | 'disk';

/** A copy of a sequence's state, as its store tells an engine of it. */
export interface ToldCopy {
  name: string;
  tier: Tier;
  bytes: number;
  /** Whose it is; empty where all share. */
  scope: string;
  tokens: Uint32Array;
}

/** What an engine says to the store of copies. `id` is a number of the engine's own, by which the store answers. */
export type ToCopyStore =
  /** Asks for a file to write a state of about so many bytes to; the answer is its path, or null if there is no room. */
  | { kind: 'reserve'; id: number; bytes: number; tokens: number }
  /**
   * The file has been written. The copies that it makes needless may go. The answer, without a path, comes when the copy has been told
   * of, or given up.
   */
  | { kind: 'saved'; id: number; scope: string; tokens: Uint32Array; evaluateMs: number; replaces: string[] }
  /** The file was not written. */
  | { kind: 'abandoned'; id: number }
  /** Asks for a copy that is to be read; the answer is its path, or null if it is gone or damaged. It stays until `closed`. */
  | { kind: 'open'; id: number; name: string }
  /** The copy has been read. One that could not be is deleted. */
  | { kind: 'closed'; name: string; ok: boolean };

/** What the store of copies says to an engine. */
export type FromCopyStore =
  | { kind: 'answer'; id: number; path: string | null }
  | { kind: 'added'; copies: ToldCopy[] }
  | { kind: 'moved'; name: string; tier: Tier }
  | { kind: 'dropped'; name: string };
