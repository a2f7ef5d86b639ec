import { createHash } from 'node:crypto';

/** A file of a repository. */
export interface HubFile {
  bytes: Uint8Array;
  /** True for a small file, which lies in git itself and is listed without a SHA-256. */
  plain?: true;
  /** The size and the SHA-256 that the list tells instead of the true ones. */
  listedSize?: number;
  listedSha256?: string;
}

/** A repository of a hub. */
export interface Repo {
  files: Map<string, HubFile>;
  commit: string;
  /** The only token that may read the repository; undefined for an open repository. */
  token?: string;
  downloads?: number;
}

/** Small, so that every list of more than two files has several pages. */
const PAGE_SIZE = 2;

/** Adds a file to a repository, or replaces it. The repository gets another commit. */
export function putInto(repo: Repo, path: string, file: HubFile): void {
  repo.files.set(path, file);
  repo.commit = createHash('sha1')
    .update(JSON.stringify(listFiles(repo)))
    .digest('hex');
}

/**
 * Returns the repositories with GGUF files whose id contains `words`, most downloads first, as the hub's search shows
 * them.
 */
export function searchRepos(repos: ReadonlyMap<string, Repo>, words: string): object[] {
  return [...repos]
    .filter(([id, { files }]) => id.includes(words) && [...files.keys()].some((path) => path.endsWith('.gguf')))
    .map(([id, { downloads = 0, token }]) => ({ id, downloads, gated: token === undefined ? false : 'manual' }))
    .sort((one, other) => other.downloads - one.downloads)
    .map((facts) => ({ _id: facts.id, likes: 1, private: false, lastModified: '2026-01-01T00:00:00.000Z', ...facts }));
}

/**
 * Returns the page of a repository's list that begins at file `from`. `next` is where the next page begins; null after
 * the last.
 */
export function pageOfFiles(repo: Repo, from: number): { files: object[]; next: number | null } {
  const all = listFiles(repo);
  const end = from + PAGE_SIZE;
  return { files: all.slice(from, end), next: end < all.length ? end : null };
}

function listFiles({ files }: Repo): object[] {
  return [...files].map(([path, { bytes, plain, listedSize, listedSha256 }]) => {
    const size = listedSize ?? bytes.length;
    const oid = gitOid(bytes);
    if (plain) return { type: 'file', path, size, oid };
    return { type: 'file', path, size, oid, lfs: { oid: listedSha256 ?? sha256(bytes), size, pointerSize: 134 } };
  });
}

/** Returns the SHA-256 of the bytes in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the id that git gives a file with these bytes. */
export function gitOid(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
