import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag, deserialize, serialize } from 'node:v8';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

/** What a script exports. */
type Exports = Record<string, unknown>;

/** Each file of a bundle is an expression with such a function. */
type Wrapper = (
  exports: Exports,
  require: (name: string) => unknown,
  filename: string,
  importModule: (name: string) => Promise<unknown>,
) => void;

/** V8's code cache of some files, by their names, which change with their content. */
type CodeCache = Record<string, Uint8Array>;

/** The code cache is written this long after the start, in ms: it has the functions that were called until then. */
const WRITE_AFTER_MS = 5000;

/**
 * Loads a bundle of dist/programs and runs it. V8 takes its functions from a code cache, without which compiling them
 * is a third of the CPU time of a start. The first run that is long enough writes the cache, into `cache` beside the
 * bundles. V8 itself rejects a cache of another version or of other flags. Where the folder can't be written, there is
 * none.
 *
 * @param main the first file of the bundle, in the folder `parts` beside `program`
 * @param program the URL of the program's own file
 * @returns the exports of the first file
 * @throws any error of the files while they run
 */
export function loadProgram(main: string, program: string): Exports {
  const path = fileURLToPath(program);
  const cacheFile = join(dirname(path), 'cache', String(cachedDataVersionTag()), basename(path, '.js'));
  let cached = readCache(cacheFile);
  const scripts = new Map<string, Script>();
  let lacks = false;

  const compile = (name: string, source: string): Script => {
    const cachedData = cached[name];
    // Named by its URL, as modules are: stack traces and coverage have it.
    const filename = new URL(`parts/${name}`, program).href;
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    lacks ||= !cachedData || script.cachedDataRejected === true;
    scripts.set(name, script);
    return script;
  };
  setTimeout(() => {
    if (lacks) writeCache(cacheFile, { ...cached, ...codeOf(scripts) });
    cached = {};
    scripts.clear();
  }, WRITE_AFTER_MS).unref();
  return createLoader(join(dirname(path), 'parts'), createRequire(program), compile)(main);
}

/** Makes a function that runs a file of the folder `parts`, and the files that it requires, once each. */
function createLoader(
  parts: string,
  requirePackage: (name: string) => unknown,
  compile: (name: string, source: string) => Script,
): (name: string) => Exports {
  const loaded = new Map<string, Exports>();
  const require = (name: string) => (name.startsWith('./') ? load(name.slice(2)) : requirePackage(name));
  const load = (name: string): Exports => {
    const known = loaded.get(name);
    if (known) return known;
    const exports = {};
    loaded.set(name, exports);
    const file = join(parts, name);
    const run = compile(name, readFileSync(file, 'utf8')).runInThisContext() as Wrapper;
    run(exports, require, file, (name) => import(name));
    return exports;
  };
  return load;
}

function codeOf(scripts: Map<string, Script>): CodeCache {
  return Object.fromEntries([...scripts].map(([name, script]) => [name, script.createCachedData()]));
}

function readCache(file: string): CodeCache {
  try {
    return deserialize(readFileSync(file)) as CodeCache;
  } catch {
    // There is none yet.
    return {};
  }
}

/** Writes the cache in one step, since other processes may read it. */
function writeCache(file: string, cache: CodeCache): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const unfinished = `${file}.${process.pid}.${threadId}`;
    writeFileSync(unfinished, serialize(cache));
    renameSync(unfinished, file);
  } catch {
    // The folder can't be written, as in a container or in an installation for all users.
  }
}
