import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fault, misbehave, sendFile } from './hub-content.ts';

/** The kinds of request: what repositories there are, what the commit is, what files there are, where a file lies, and the file. */
export type Stage = 'search' | 'info' | 'list' | 'resolve' | 'content';

export interface SeenRequest {
  stage: Stage;
  /** Of the file, or the repository for `info` and `list`, or the words of a search. */
  path: string;
  range: string | undefined;
  ifRange: string | undefined;
  authorization: string | undefined;
}

export interface HubFile {
  bytes: Uint8Array;
  /** In git itself and so without a sha256, as small files are. */
  plain?: true;
  /** Said instead of the true ones. */
  listedSize?: number;
  listedSha256?: string;
}

/** A hub that speaks Hugging Face's API, with a content server on another origin, and a web server of plain files. */
export interface TestHub {
  url: string;
  /** All requests, in order. */
  requests: SeenRequest[];
  /** Puts a file into a repository, which is there from then on; also for new content. */
  put(repo: string, path: string, file: HubFile | Uint8Array): void;
  /**
   * Puts a file on the web server and gives its URL; without an ETag if it shall have no validator. Web pages of other sites may
   * read it, though not all of its headers, unless it is closed to them.
   */
  putFile(path: string, bytes: Uint8Array, options?: { validator?: false; closed?: true }): string;
  /** Lets only this token read the repository. */
  gate(repo: string, token: string): void;
  /** How often a repository was downloaded, as its search tells. */
  count(repo: string, downloads: number): void;
  /** Lets all pages of lists but the first lie on another origin, which is not the hub. */
  moveLists(): void;
  /** The next `times` such requests for the path go wrong; without a number, all. Faults of one path come one after another. */
  fail(stage: Stage, path: string, fault: Fault, times?: number): void;
  /** Ends with the servers. */
  close(): Promise<void>;
}

interface Repo {
  files: Map<string, HubFile>;
  commit: string;
  token?: string;
  downloads?: number;
}

interface PlannedFault {
  fault: Fault;
  left: number;
}

/** What a hub lets web pages of other sites read, and what a plain host does. */
const OPEN = { 'access-control-allow-origin': '*' };
const OPEN_HUB = {
  ...OPEN,
  'access-control-expose-headers': 'X-Repo-Commit,X-Error-Code,ETag,Link,Accept-Ranges,Content-Range,X-Linked-ETag',
};

/** Small, so that every list of more than two files has several pages. */
const PAGE_SIZE = 2;

export async function startHub(): Promise<TestHub> {
  const repos = new Map<string, Repo>();
  const files = new Map<string, { bytes: Uint8Array; validator: boolean; closed: boolean }>();
  const faults = new Map<string, PlannedFault[]>();
  const requests: SeenRequest[] = [];
  let listsMoved = false;

  const takeFault = (stage: Stage, path: string): Fault | undefined => {
    const planned = faults.get(`${stage} ${path}`) ?? [];
    const next = planned.find(({ left }) => left > 0);
    if (next) next.left -= 1;
    return next?.fault;
  };

  const note = (stage: Stage, path: string, { headers }: IncomingMessage) => {
    const { range, authorization, 'if-range': ifRange } = headers;
    requests.push({ stage, path, range, authorization, ifRange: ifRange?.toString() });
    return takeFault(stage, path);
  };

  const answerSearch = (req: IncomingMessage, res: ServerResponse, { searchParams }: URL) => {
    const words = searchParams.get('search') ?? '';
    const fault = note('search', words, req);
    if (fault) return misbehave(res, fault);
    const found = [...repos]
      .filter(([id, { files: held }]) => id.includes(words) && [...held.keys()].some((path) => path.endsWith('.gguf')))
      .map(([id, { downloads = 0, token }]) => ({ id, downloads, gated: token === undefined ? false : 'manual' }))
      .sort((one, other) => other.downloads - one.downloads)
      .map((facts) => ({
        _id: facts.id,
        likes: 1,
        private: false,
        lastModified: '2026-01-01T00:00:00.000Z',
        ...facts,
      }));
    sendJson(res, 200, found.slice(0, Number(searchParams.get('limit'))));
  };

  const answerApi = (req: IncomingMessage, res: ServerResponse, url: URL) => {
    const [, repoId = '', kind, revision = ''] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)/.exec(url.pathname) ?? [];
    const stage = kind === 'tree' ? 'list' : 'info';
    const fault = note(stage, repoId, req);
    const repo = repos.get(repoId);
    if (fault) {
      misbehave(res, fault);
    } else if (!repo || !['main', repo.commit].includes(revision)) {
      sendJson(res, 404, { error: 'Repository not found' }, { 'x-error-code': 'RepoNotFound' });
    } else if (stage === 'info') {
      sendJson(res, 200, { _id: '1', id: repoId, sha: repo.commit, private: false });
    } else {
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const all = listing(repo);
      const next = `<${urlOf(listsMoved ? web : hub)}${url.pathname}?recursive=true&cursor=${from + PAGE_SIZE}>; rel="next"`;
      sendJson(res, 200, all.slice(from, from + PAGE_SIZE), from + PAGE_SIZE < all.length ? { link: next } : {});
    }
  };

  const answerResolve = (req: IncomingMessage, res: ServerResponse, repoId: string, path: string) => {
    const fault = note('resolve', path, req);
    const repo = repos.get(repoId);
    const file = repo?.files.get(path);
    const { authorization } = req.headers;
    if (file?.plain) {
      sendFile(req, res, file.bytes, `"${gitOid(file.bytes)}"`, fault);
    } else if (fault) {
      misbehave(res, fault);
    } else if (!repo || !file) {
      sendJson(res, 404, { error: 'Entry not found' }, { 'x-error-code': 'EntryNotFound' });
    } else if (repo.token !== undefined && authorization !== `Bearer ${repo.token}`) {
      sendJson(res, authorization ? 403 : 401, { error: 'gated' }, { 'x-error-code': 'GatedRepo' });
    } else {
      const location = `${urlOf(cdn)}/${repoId}/${path}?signature=secret`;
      const headers = { location, 'x-linked-etag': `"${sha256(file.bytes)}"`, 'x-repo-commit': repo.commit };
      res.writeHead(302, headers).end();
    }
  };

  const hub = createServer((req, res) => {
    allow(res, OPEN_HUB);
    const url = new URL(req.url ?? '/', 'http://hub');
    const [, repoId, path] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (url.pathname === '/api/models') answerSearch(req, res, url);
    else if (url.pathname.startsWith('/api/')) answerApi(req, res, url);
    else if (repoId && path) answerResolve(req, res, repoId, path);
    else res.writeHead(404).end();
  });

  const web = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://web');
    if (url.pathname.startsWith('/api/')) {
      answerApi(req, res, url);
      return;
    }
    const name = decodeURIComponent(url.pathname.slice(1));
    const fault = note('content', name, req);
    const file = files.get(name);
    if (!file?.closed) allow(res, OPEN);
    if (file) sendFile(req, res, file.bytes, file.validator ? `"${sha256(file.bytes)}"` : null, fault);
    else res.writeHead(404).end();
  });

  const cdn = createServer((req, res) => {
    allow(res, OPEN_HUB);
    const { pathname } = new URL(req.url ?? '/', 'http://cdn');
    const [, repoId = '', path = ''] = /^\/([^/]+\/[^/]+)\/(.+)$/.exec(decodeURIComponent(pathname)) ?? [];
    const fault = note('content', path, req);
    const file = repos.get(repoId)?.files.get(path);
    // No two copies of a file have the same ETag on a hub's content servers.
    if (file) sendFile(req, res, file.bytes, `"${randomUUID()}"`, fault);
    else res.writeHead(404).end();
  });

  await Promise.all([hub, cdn, web].map(listen));

  return {
    url: urlOf(hub),
    requests,
    put(repoId, path, file) {
      const repo = repos.get(repoId) ?? { files: new Map(), commit: '' };
      repo.files.set(path, file instanceof Uint8Array ? { bytes: file } : file);
      repo.commit = createHash('sha1')
        .update(JSON.stringify(listing(repo)))
        .digest('hex');
      repos.set(repoId, repo);
    },
    putFile(path, bytes, { validator = true, closed = false }: { validator?: boolean; closed?: boolean } = {}) {
      files.set(path, { bytes, validator, closed });
      return `${urlOf(web)}/${path}`;
    },
    gate(repoId, token) {
      const repo = repos.get(repoId);
      if (repo) repo.token = token;
    },
    count(repoId, downloads) {
      const repo = repos.get(repoId);
      if (repo) repo.downloads = downloads;
    },
    moveLists() {
      listsMoved = true;
    },
    fail(stage, path, fault, times = Number.POSITIVE_INFINITY) {
      const key = `${stage} ${path}`;
      faults.set(key, [...(faults.get(key) ?? []), { fault, left: times }]);
    },
    async close() {
      await Promise.all([hub, cdn, web].map(stop));
    },
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function gitOid(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function listing({ files }: Repo): object[] {
  return [...files].map(([path, { bytes, plain, listedSize, listedSha256 }]) => {
    const size = listedSize ?? bytes.length;
    const oid = gitOid(bytes);
    if (plain) return { type: 'file', path, size, oid };
    return { type: 'file', path, size, oid, lfs: { oid: listedSha256 ?? sha256(bytes), size, pointerSize: 134 } };
  });
}

function allow(res: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

function sendJson(res: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
