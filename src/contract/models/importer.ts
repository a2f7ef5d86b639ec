import type { PullEvent } from './puller.ts';

/** A model file that a client uploads. */
export interface ImportedFile {
  filename: string;
  /** In bytes; null if the client does not give it. */
  size: number | null;
}

/** Stores model files that clients upload. */
export interface Importer {
  /**
   * Stores the GGUF in the body of the current request and reports progress with the events of a pull.
   *
   * @throws ApiError with what is wrong with the file; an incomplete file never gets into the catalogue
   */
  importModel(file: ImportedFile, signal: AbortSignal): AsyncIterable<PullEvent>;
}
