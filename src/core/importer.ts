import type { PullEvent } from './puller.ts';

/** A model file that a client sends. */
export interface ImportedFile {
  filename: string;
  /** In bytes; null where the client does not say. */
  size: number | null;
}

/** Stores model files that clients send. */
export interface Importer {
  /**
   * Stores the GGUF that is the body of the request at hand, and says how far it is as a pull does.
   *
   * @throws ApiError saying what is wrong with the file; nothing that is not whole ever reaches the catalogue
   */
  importModel(file: ImportedFile, signal: AbortSignal): AsyncIterable<PullEvent>;
}
