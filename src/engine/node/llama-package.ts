import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Returns the URL of a file of node-llama-cpp's package, without loading the package. Throws if it is not installed.
 *
 * @param path the file's path in the package
 */
export function llamaPackageFile(path: string): URL {
  // The package exports its main file alone, dist/index.js.
  const main = createRequire(import.meta.url).resolve('node-llama-cpp');
  return new URL(`../${path}`, pathToFileURL(main));
}
