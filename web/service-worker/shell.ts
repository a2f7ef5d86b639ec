import { isolated } from './isolation.ts';
import type { ShellFile, ShellManifest } from './shell-manifest.ts';

/** The stored files of the site, which make it work without a network. */
export interface Shell {
  /**
   * Fetches and stores every file of this version that this browser needs. Throws if a file of the engine can't be
   * fetched, or has other content than this build: the files that are stored stay for the next attempt.
   */
  install(onProgress?: (progress: InstallProgress) => void): Promise<void>;
  /** Removes the files of all other versions. */
  dropOthers(): Promise<void>;
  /**
   * Returns the stored file, or the file from the network, which is stored then if its part is `later`. Returns null
   * for a path that is not a file of the site.
   */
  serve(path: string): Promise<Response> | null;
}

/** The progress of an install, in bytes. */
export interface InstallProgress {
  completed: number;
  total: number;
}

const POLICY = 'content-security-policy';

/** The file that answers for the path of a folder. */
const INDEX = 'index.html';

/**
 * Makes the shell of this version. Its files lie in a cache of `storage` that is named by the scope and the version.
 */
export function createShell({ version, files }: ShellManifest, scope: URL, storage: CacheStorage): Shell {
  const prefix = `paddock-shell:${scope.pathname}:`;
  const name = prefix + version;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const urlOf = ({ path }: ShellFile) => new URL(path, scope).href;

  /** Returns the same file from another version, if that has stored it. */
  const keptBefore = async (file: ShellFile): Promise<Response | undefined> => {
    for (const key of await ownCaches(storage, prefix)) {
      const kept = await (await storage.open(key)).match(urlOf(file));
      if (kept?.headers.get('etag') === etagOf(file)) return kept;
    }
    return undefined;
  };

  /** Returns the URLs of all files that other versions have stored. */
  const filesOfOthers = async (): Promise<Set<string>> => {
    const keys = (await ownCaches(storage, prefix)).filter((key) => key !== name);
    const kept = await Promise.all(keys.map(async (key) => (await storage.open(key)).keys()));
    return new Set(kept.flat().map(({ url }) => url));
  };

  const keep = async (cache: Cache, file: ShellFile, onBytes: (count: number) => void) => {
    const known = await keptBefore(file);
    if (known) onBytes(file.size);
    await cache.put(urlOf(file), known ?? (await fetchFile(urlOf(file), file, onBytes)));
  };

  return {
    async install(onProgress = () => {}) {
      const cache = await storage.open(name);
      const wllama = needsCompat() ? 'compat' : 'modern';
      const needed = files.filter(({ part }) => part === 'engine' || part === 'page' || part === wllama);
      const total = needed.reduce((sum, { size }) => sum + size, 0);
      const count = countTo(total, onProgress);
      const keepAll = (part: ShellFile['part']) =>
        Promise.all(needed.filter((file) => file.part === part).map((file) => keep(cache, file, count)));
      await keepAll('engine');
      await keepAll(wllama);
      await keepAll('page').catch(async (error: unknown) => {
        if (!(error instanceof OtherContent)) throw error;
        // The site has replaced the chat page by a page of its own.
        for (const file of files) if (file.part === 'page') await cache.delete(urlOf(file));
      });
      // The page works without these files, and the next page that needs them fetches them again.
      const used = await filesOfOthers();
      await Promise.all(
        files
          .filter((file) => file.part === 'later' && used.has(urlOf(file)))
          .map((file) => keep(cache, file, () => {}).catch(() => {})),
      );
    },

    async dropOthers() {
      for (const key of await ownCaches(storage, prefix)) if (key !== name) await storage.delete(key);
    },

    serve(path) {
      const file = byPath.get(path === '' ? INDEX : path);
      if (!file) return null;
      const url = urlOf(file);
      return storage.open(name).then(async (cache) => {
        const kept = await cache.match(url);
        if (kept) return kept;
        if (file.part === 'later') await keep(cache, file, () => {}).catch(() => {});
        return (await cache.match(url)) ?? isolated(await fetch(url));
      });
    },
  };
}

/** The content of a fetched file does not match the build. */
class OtherContent extends Error {
  override readonly name = 'OtherContent';
}

async function fetchFile(url: string, file: ShellFile, onBytes: (count: number) => void): Promise<Response> {
  const response = await fetch(url, { cache: 'no-cache' });
  if (response.status === 404) throw new OtherContent(`${file.path} is not there`);
  if (!response.ok) throw new Error(`${file.path} can not be fetched: the status is ${response.status}`);
  const content = await readBody(response, file, onBytes);
  if (content === null || (await sha256(content)) !== file.hash)
    throw new OtherContent(`${file.path} is not the one of this build`);
  // A Paddock server sends a security policy with each file, which the stored file needs too.
  const policy = response.headers.get(POLICY);
  const headers = {
    'content-type': file.type,
    'content-length': String(content.byteLength),
    etag: etagOf(file),
    ...(policy !== null && { [POLICY]: policy }),
  };
  return isolated(new Response(content, { headers }));
}

/** Reads the body of a file and reports the size of each piece, in bytes. Returns null if it has another size than the file. */
async function readBody(
  { body }: Response,
  { size }: ShellFile,
  onBytes: (count: number) => void,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const content = new Uint8Array(size);
  const reader = body?.getReader();
  let length = 0;
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    if (length + read.value.length > size) {
      await reader?.cancel();
      return null;
    }
    content.set(read.value, length);
    length += read.value.length;
    onBytes(read.value.length);
  }
  return length === size ? content : null;
}

/** Adds up bytes, and tells after each hundredth of `total`: each message costs the page and this worker time. */
function countTo(total: number, onProgress: (progress: InstallProgress) => void): (bytes: number) => void {
  let completed = 0;
  let told = 0;
  return (bytes) => {
    completed += bytes;
    if (completed < total && completed - told < total / 100) return;
    told = completed;
    onProgress({ completed, total });
  };
}

async function sha256(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function etagOf({ hash }: ShellFile): string {
  return `"${hash}"`;
}

async function ownCaches(storage: CacheStorage, prefix: string): Promise<string[]> {
  return (await storage.keys()).filter((key) => key.startsWith(prefix));
}

/**
 * True if this browser needs the `compat` build, by the same rules as in wllama: it lacks stack switching or 64-bit
 * memories. Every Firefox takes the modern build, because the other one is much slower there.
 */
function needsCompat(): boolean {
  if (/Firefox\//.test(globalThis.navigator?.userAgent ?? '')) return false;
  if (!('Suspending' in WebAssembly)) return true;
  try {
    new WebAssembly.Memory({ address: 'i64', initial: 1n } as unknown as WebAssembly.MemoryDescriptor);
    return false;
  } catch {
    return true;
  }
}
