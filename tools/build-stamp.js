import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * The files that a build is made from: their paths from the root, with slashes, and the SHA-1 of each.
 * @typedef {Record<string, string>} BuildInputs
 */

const FOLDERS = ['src', 'web', 'workers', 'benchmarks', 'test/trials', 'models'];
const FILES = [
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'tsconfig.neutral.json',
  'tsconfig.shared.json',
];

/** The build copies the models of models/ into dist-web. It uses no other file of that folder. */
const MODEL_FILE = /(?:\.gguf|model\.json)$/;

/** Results of benchmarks are no input of the build. */
const MEASURED = 'benchmarks/results/';

/** The build removes this file first and writes it last, so it exists only after a complete build. */
const STAMP = 'dist/built-from.json';

/** The last file that the build writes into dist-web. */
const LAST_BUILT = 'dist-web/service-worker.js';

/** The bundles, whose names are not those of sources. */
const BUNDLES = /^dist\/(?:dev\/)?programs\//;

/** The endings of compiled files. */
const OUTPUT = /\.(?:js|js\.map|d\.ts)$/;

/**
 * Reads all that a build is made from.
 * @param {string} root
 * @returns {BuildInputs}
 */
export function readBuildInputs(root) {
  const inputs = [...FILES, ...FOLDERS.flatMap((folder) => listFiles(root, folder))].filter(isInput);
  return Object.fromEntries(inputs.map((file) => [file, sha1(readFileSync(join(root, file)))]));
}

/** @param {string} file */
function isInput(file) {
  if (file.startsWith(MEASURED) || file.endsWith('.test.ts')) return false;
  return !file.startsWith('models/') || MODEL_FILE.test(file);
}

/**
 * Notes what the build in dist and dist-web was made from.
 * @param {string} root
 * @param {BuildInputs} inputs
 */
export function writeBuildStamp(root, inputs) {
  writeFileSync(join(root, STAMP), JSON.stringify(inputs, null, 1));
}

/** @param {string} root */
export function removeBuildStamp(root) {
  rmSync(join(root, STAMP), { force: true });
}

/**
 * Returns how the sources differ from the sources of the build; null if they are equal. It compares contents instead of
 * times: a checkout changes times, and the compiler does not rewrite an unchanged output.
 * @param {string} root
 * @returns {string | null}
 */
export function findStaleBuild(root) {
  if (!existsSync(join(root, STAMP)) || !existsSync(join(root, LAST_BUILT))) {
    return 'Nothing is built, or the last build failed. Run: npm run build';
  }
  /** @type {BuildInputs} */
  const before = JSON.parse(readFileSync(join(root, STAMP), 'utf8'));
  const now = readBuildInputs(root);
  const changed = Object.keys({ ...before, ...now }).filter((file) => before[file] !== now[file]);
  const [first] = changed.sort();
  if (first === undefined) return null;
  const others = changed.length > 1 ? `, and ${changed.length - 1} more files differ` : '';
  return `${first} ${whatHappened(before[first], now[first])} since the last build${others}. Run: npm run build`;
}

/**
 * @param {string | undefined} before
 * @param {string | undefined} now
 */
function whatHappened(before, now) {
  if (before === undefined) return 'was added';
  return now === undefined ? 'was removed' : 'was changed';
}

/**
 * Removes the compiled files of deleted sources from dist. The compiler leaves them there, and a test that imports one
 * would still pass. The bundles of dist/programs are emptied by their own build.
 * @param {string} root
 */
export function removeLeftOutputs(root) {
  for (const file of listFiles(root, 'dist').filter((name) => OUTPUT.test(name) && !BUNDLES.test(name))) {
    const source = join(root, relative('dist', file).replace(OUTPUT, ''));
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join(root, file));
  }
}

/**
 * The files below a folder, as paths from the root with slashes. None if there is no such folder.
 * @param {string} root
 * @param {string} folder
 */
function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

/** @param {Uint8Array} content */
function sha1(content) {
  return createHash('sha1').update(content).digest('hex');
}
