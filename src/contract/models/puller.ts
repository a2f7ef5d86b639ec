import type { Model } from './model.ts';

/**
 * An event of a pull. Sizes and amounts are in bytes, for all files of the model together; `completed` never decreases.
 */
export type PullEvent =
  /** The host is asked which files there are. */
  | { status: 'resolving' }
  | {
      status: 'downloading';
      /** The file that is fetched now. */
      file: string;
      completed: number;
      total: number;
      bytesPerSecond: number;
      /** Null while the rate is unknown. */
      secondsLeft: number | null;
    }
  /**
   * The pull pauses. The reason may be a lost connection that is retried, a host that asks to wait, or another process.
   */
  | { status: 'waiting'; reason: string }
  /** A fetched file is checked: its size, its sha256, and whether it holds all that its header promises. */
  | { status: 'verifying'; file: string }
  /** The model is in the catalogue. `alreadyHere` is true if it was there before with the same files. */
  | { status: 'done'; model: Model['id']; alreadyHere: boolean };

/** Fetches models into the catalogue. */
export interface Puller {
  /**
   * Fetches a model. It resumes where an earlier pull of the model stopped. Pulls of the same model share one download,
   * which ends early only when nobody reads it any more. What is fetched by then is kept for the next pull.
   *
   * @param source `hf:org/repo[:quant]`, `hf:org/repo/file.gguf` or the URL of a GGUF
   * @throws ApiError with what the client can do about it; an incomplete model never gets into the catalogue
   */
  pull(source: string, signal: AbortSignal): AsyncIterable<PullEvent>;
}
