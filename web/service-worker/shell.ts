import { isolated } from './isolation.ts';
import type { ShellFile, ShellManifest } from './shell-manifest.ts';

/** The files of the site, kept so that nothing needs the network. */
export interface Shell {
  /**
   * Fetches and keeps every file of this version. Throws when a file of the engine can't be fetched, or is not the one
   * of this build.
   */
  install(): Promise<void>;
  /** Forgets the versions before this one. */
  dropOthers(): Promise<void>;
  /** Answers with a kept file, or with the network's if it is not kept. Null for a path that is no file of the site. */
  serve(path: string): Promise<Response> | null;
}

/** The file that is served at the address of a folder. */
const INDEX = 'index.html';

export function createShell({ version, files }: ShellManifest, scope: URL, storage: CacheStorage): Shell {
  const prefix = `paddock-shell:${scope.pathname}:`;
  const name = prefix + version;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const urlOf = ({ path }: ShellFile) => new URL(path, scope).href;

  /** The same file, if another version has kept it. */
  const keptBefore = async (file: ShellFile): Promise<Response | undefined> => {
    for (const key of await ownCaches(storage, prefix)) {
      const kept = await (await storage.open(key)).match(urlOf(file));
      if (kept?.headers.get('etag') === etagOf(file)) return kept;
    }
    return undefined;
  };

  const keep = async (cache: Cache, file: ShellFile) => {
    await cache.put(urlOf(file), (await keptBefore(file)) ?? (await fetchFile(urlOf(file), file)));
  };

  return {
    async install() {
      const cache = await storage.open(name);
      const keepAll = (part: ShellFile['part']) =>
        Promise.all(files.filter((file) => file.part === part).map((file) => keep(cache, file)));
      await keepAll('engine');
      if (needsCompat()) await keepAll('compat');
      await keepAll('page').catch(async (error: unknown) => {
        if (!(error instanceof OtherContent)) throw error;
        // The site has a page of its own there.
        for (const file of files) if (file.part === 'page') await cache.delete(urlOf(file));
      });
    },

    async dropOthers() {
      for (const key of await ownCaches(storage, prefix)) if (key !== name) await storage.delete(key);
    },

    serve(path) {
      const file = byPath.get(path === '' ? INDEX : path);
      if (!file) return null;
      const url = urlOf(file);
      return storage
        .open(name)
        .then((cache) => cache.match(url))
        .then(async (kept) => kept ?? isolated(await fetch(url)));
    },
  };
}

/** The network has something else at a file's address. */
class OtherContent extends Error {
  override readonly name = 'OtherContent';
}

async function fetchFile(url: string, file: ShellFile): Promise<Response> {
  const response = await fetch(url, { cache: 'no-cache' });
  if (response.status === 404) throw new OtherContent(`${file.path} is not there`);
  if (!response.ok) throw new Error(`${file.path} can not be fetched: the status is ${response.status}`);
  const content = await response.arrayBuffer();
  if ((await sha256(content)) !== file.hash) throw new OtherContent(`${file.path} is not the one of this build`);
  const headers = { 'content-type': file.type, 'content-length': String(content.byteLength), etag: etagOf(file) };
  return isolated(new Response(content, { headers }));
}

async function sha256(content: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function etagOf({ hash }: ShellFile): string {
  return `"${hash}"`;
}

async function ownCaches(storage: CacheStorage, prefix: string): Promise<string[]> {
  return (await storage.keys()).filter((key) => key.startsWith(prefix));
}

/** Says whether this browser lacks stack switching or 64-bit memories. wllama decides by the same. */
function needsCompat(): boolean {
  if (!('Suspending' in WebAssembly)) return true;
  try {
    new WebAssembly.Memory({ address: 'i64', initial: 1n } as unknown as WebAssembly.MemoryDescriptor);
    return false;
  } catch {
    return true;
  }
}
