import type { Model } from './model.ts';

/** What a pull says while it goes on. Sizes and amounts are in bytes, of all its files together; `completed` never shrinks. */
export type PullEvent =
  /** Asks the host what there is to fetch. */
  | { status: 'resolving' }
  | {
      status: 'downloading';
      /** The file that is being fetched. */
      file: string;
      completed: number;
      total: number;
      bytesPerSecond: number;
      /** Null while the rate is unknown. */
      secondsLeft: number | null;
    }
  /** Nothing moves for now, and why: a lost connection that is tried again, a host that asks for patience, another process. */
  | { status: 'waiting'; reason: string }
  /** Compares a fetched file with its size, its sha256 and what its own header promises. */
  | { status: 'verifying'; file: string }
  /** The model is in the catalogue. `alreadyHere`: it had been before, with the very same files. */
  | { status: 'done'; model: Model['id']; alreadyHere: boolean };

/** Fetches models into the catalogue. */
export interface Puller {
  /**
   * Fetches a model, going on where an earlier pull of it broke off. Pulls of one model share the work: it ends early only
   * when nobody reads it any more, and what is fetched by then stays for the next one.
   *
   * @param source `hf:org/repo[:quant]`, `hf:org/repo/file.gguf` or the URL of a GGUF
   * @throws ApiError saying what the caller can do about it; nothing that is not whole ever reaches the catalogue
   */
  pull(source: string, signal: AbortSignal): AsyncIterable<PullEvent>;
}
