/** A file of the site. */
export interface ShellFile {
  /** Relative to the service worker's scope. */
  path: string;
  /** SHA-256 of its content, in hexadecimal. */
  hash: string;
  type: string;
  /**
   * `page` is the chat page, which a site may leave out or replace. `compat` is for browsers that wllama's default
   * build does not run in.
   */
  part: 'engine' | 'page' | 'compat';
}

/** The files of the site, without the service worker itself. */
export interface ShellManifest {
  /** It differs as soon as the content of a file does. */
  version: string;
  files: ShellFile[];
}
