import type { Model } from './model.ts';

/** What a pull says while it goes on. Sizes and amounts are in bytes, of all its files together. */
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
      secondsLeft: number | null;
    }
  /** Compares a fetched file with its size and its sha256. */
  | { status: 'verifying'; file: string }
  /** The model is in the catalogue. */
  | { status: 'done'; model: Model['id'] };

/** Fetches models into the catalogue. */
export interface Puller {
  /**
   * Fetches a model, going on where an earlier pull of it broke off. Two pulls of one model share the work or wait for one another.
   *
   * @param source `hf:org/repo[:quant]`, `hf:org/repo/file.gguf` or the URL of a GGUF
   * @throws ApiError saying what the caller can do about it; nothing that is not whole ever reaches the catalogue
   */
  pull(source: string, signal: AbortSignal): AsyncIterable<PullEvent>;
}
