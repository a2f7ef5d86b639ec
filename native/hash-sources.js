import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = dirname(fileURLToPath(import.meta.url));

/**
 * Returns the SHA-256 sum of the sources of the kernels and of the script that builds them, so that a test can tell
 * whether the library in the repository was built from them.
 * @returns {string}
 */
export function hashSources() {
  const hash = createHash('sha256');
  const files = readdirSync(join(FOLDER, 'kernels'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
    .sort();
  for (const file of ['build.js', ...files]) {
    hash.update(`${file}\n`);
    hash.update(readFileSync(join(FOLDER, file)));
  }
  return hash.digest('hex');
}
