import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
 * Loads a bundle of dist/programs and runs it. V8 takes its functions from a code cache, without which compiling them is a third of the CPU
 * time of a start. The first run that is long enough writes the cache, into `cache` beside the bundles. V8 itself rejects a cache of
 * another version or of other flags. Where the folder can't be written, there is none.
 *
 * @param main the path of the first file, from the folder of `program`
 * @param program the URL of the program's own file
 * @returns what the first file exports
 * @throws what the files throw when they run
 */
export function loadProgram(main: string, program: string): Exports {
  const path = fileURLToPath(program);
  const folder = dirname(path);
  const cacheFile = join(folder, 'cache', String(cachedDataVersionTag()), basename(path, '.js'));
  let cached = readCache(cacheFile);
  const scripts = new Map<string, Script>();
  let lacks = false;

  const compile = (file: string): Script => {
    const cachedData = cached[basename(file)];
    const script = new Script(readFileSync(file, 'utf8'), {
      // A URL, as modules have it: stack traces and coverage name files by it.
      filename: pathToFileURL(file).href,
      ...(cachedData && { cachedData }),
    });
    lacks ||= !cachedData || script.cachedDataRejected === true;
    scripts.set(basename(file), script);
    return script;
  };
  const load = createLoader(compile);
  setTimeout(() => {
    if (lacks) writeCache(cacheFile, { ...cached, ...codeOf(scripts) });
    cached = {};
    scripts.clear();
  }, WRITE_AFTER_MS).unref();
  return load(join(folder, main));
}

/** Makes a function that runs a file, and the files that it requires, once each. */
function createLoader(compile: (file: string) => Script): (file: string) => Exports {
  const modules = new Map<string, Exports>();
  const load = (file: string): Exports => {
    const known = modules.get(file);
    if (known) return known;
    const exports = {};
    modules.set(file, exports);
    const requirePackage = createRequire(file);
    const require = (name: string) => (name.startsWith('.') ? load(join(dirname(file), name)) : requirePackage(name));
    const run = compile(file).runInThisContext() as Wrapper;
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
