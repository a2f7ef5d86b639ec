import { fileURLToPath, pathToFileURL } from 'node:url';

// emscripten loads `file:` URLs with XMLHttpRequest, which Node lacks. It loads all other schemes with `fetch`.
const SCHEME = 'local+';

/** Returns the URL by which the inner workers fetch a file. */
export function toLocalUrl(path: string): string {
  return SCHEME + pathToFileURL(path).href;
}

/** Returns the file of a URL made by `toLocalUrl`, or null for any other URL. */
export function fromLocalUrl(url: string): string | null {
  return url.startsWith(SCHEME) ? fileURLToPath(url.slice(SCHEME.length)) : null;
}
