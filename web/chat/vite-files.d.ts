/** The URL of a file that the build puts into the site. */
declare module '*?url' {
  const url: string;
  export default url;
}

interface ImportMeta {
  /** The build replaces this by what the files that match export, by their paths. */
  glob<Export>(pattern: string, options: { query: string; import: string; eager: true }): Record<string, Export>;
}
