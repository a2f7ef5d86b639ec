/** A file of the site. */
export interface ShellFile {
  /** From the service worker's scope on. */
  path: string;
  /** SHA-256 of its content, in hexadecimal. */
  hash: string;
  type: string;
  /** `page` is the chat page, which a site may have left out or replaced; `compat` is for browsers that lack what wllama needs. */
  part: 'engine' | 'page' | 'compat';
}

/** What the site is made of, besides the service worker itself. */
export interface ShellManifest {
  /** Another one for another content. */
  version: string;
  files: ShellFile[];
}
