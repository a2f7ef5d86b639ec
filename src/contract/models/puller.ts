import type { Model } from './model.ts';

/**
 * An event of a pull. Sizes and amounts are in bytes, for all files of the model together; `completed` never decreases.
 */
export type PullEvent =
  /** The host is being asked for the list of files. */
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
  /**
   * The pull pauses. The reason may be a lost connection that is retried, a host that asks to wait, or another process.
   */
  | { status: 'waiting'; reason: string }
  /** A fetched file is being checked: its size, its sha256, and that it is as long as its header says. */
  | { status: 'verifying'; file: string }
  /** The model is in the catalogue. `alreadyHere` is true if it was there before with the same files. */
  | { status: 'done'; model: Model['id']; alreadyHere: boolean };

/** Fetches models into the catalogue. */
export interface Puller {
  /**
   * Fetches a model. It resumes where an earlier pull of the model stopped. Pulls of the same model share one download,
   * which is cancelled once the last of them is. The bytes fetched by then are kept for the next pull.
   *
   * @param source `hf:org/repo[:quant]`, `hf:org/repo/file.gguf` or the URL of a GGUF
   * @throws ApiError that tells the client what to do; an incomplete model never gets into the catalogue
   */
  pull(source: string, signal: AbortSignal): AsyncIterable<PullEvent>;
}
