import { fileURLToPath, pathToFileURL } from 'node:url';

// emscripten fetches `file:` URLs by XMLHttpRequest, which Node lacks; any other scheme goes through `fetch`.
const SCHEME = 'local+';

/** The URL under which a file is fetched inside the inner workers. */
export function toLocalUrl(path: string): string {
  return SCHEME + pathToFileURL(path).href;
}

/** The file behind a URL of `toLocalUrl`, or null for any other URL. */
export function fromLocalUrl(url: string): string | null {
  return url.startsWith(SCHEME) ? fileURLToPath(url.slice(SCHEME.length)) : null;
}
