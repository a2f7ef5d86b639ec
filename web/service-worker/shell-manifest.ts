/** A file of the site. */
export interface ShellFile {
  /** Relative to the service worker's scope. */
  path: string;
  /** SHA-256 of its content, in hexadecimal. */
  hash: string;
  type: string;
  /** In bytes. */
  size: number;
  /**
   * `page` is the chat page, which a site may leave out or replace. A browser takes one of the two builds of wllama:
   * `modern` or, if that does not run in it, `compat`. What is `later` is fetched when it is first needed, and kept
   * from then on.
   */
  part: 'engine' | 'page' | 'modern' | 'compat' | 'later';
}

/** The files of the site, without the service worker itself. */
export interface ShellManifest {
  /** It differs as soon as the content of a file does. */
  version: string;
  files: ShellFile[];
}
