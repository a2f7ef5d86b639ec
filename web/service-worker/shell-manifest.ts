/** A file of the site. */
export interface ShellFile {
  /** Relative to the service worker's scope. */
  path: string;
  /** SHA-256 of the content, in hex. */
  hash: string;
  type: string;
  /** In bytes. */
  size: number;
  /**
   * `engine` is needed by every site. `page` is the chat page, which a site may leave out or replace. A browser takes
   * one of the two builds of wllama: `modern` or, if it can't run that, `compat`. A `later` file is fetched when it is
   * first needed, and kept from then on.
   */
  part: 'engine' | 'page' | 'modern' | 'compat' | 'later';
}

/** The files of the site, without the service worker itself. */
export interface ShellManifest {
  /** Changes with the content of any file. */
  version: string;
  files: ShellFile[];
}
