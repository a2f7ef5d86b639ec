import type { GgufHeader } from '../gguf/header.ts';

/** A file in a models folder. */
export interface FoundFile {
  path: string;
  name: string;
  /** The folder that holds the file, relative to the models folder, with slashes. '' is the models folder itself. */
  folder: string;
  /** Size in bytes. */
  size: number;
  /** Time of the last change: Unix time in ms. */
  modified: number;
  /** A text that differs once the file's content has changed. */
  stamp: string;
}

/** A models folder or one of its subfolders. */
export interface FoundFolder {
  path: string;
  /** A text that differs once another folder has taken this path. */
  stamp: string;
}

/** A GGUF file in a models folder, and its header. */
export interface GgufFile {
  file: FoundFile;
  header: GgufHeader;
}
