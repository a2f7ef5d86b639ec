import type { GgufHeader } from '../gguf/header.ts';

/** A file of a models folder. */
export interface FoundFile {
  path: string;
  name: string;
  /** The folder it is in, from the models folder on, with slashes; '' is the models folder itself. */
  folder: string;
  /** In bytes. */
  size: number;
  /** Unix time in ms. */
  modified: number;
  /** Changes with the file's content. */
  stamp: string;
}

/** A models folder, or one within it. */
export interface FoundFolder {
  path: string;
  /** Another one for a folder that takes the place of this one. */
  stamp: string;
}

/** A GGUF of a models folder and what its header says. */
export interface GgufFile {
  file: FoundFile;
  header: GgufHeader;
}
