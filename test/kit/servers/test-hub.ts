import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHubAnswers } from './hub-api.ts';
import { type Fault, sendFile } from './hub-content.ts';
import { createFaultPlan, type FaultPlan, type SeenRequest, type Stage } from './hub-faults.ts';
import { type HubFile, putInto, type Repo, sha256 } from './hub-repos.ts';

/** A hub that speaks Hugging Face's API, with a content server on another origin, and a web server of plain files. */
export interface TestHub {
  url: string;
  /** All requests, in order. */
  requests: SeenRequest[];
  /** Puts a file into a repository, and makes the repository if it is new. Replaces a file with the same path. */
  put(repo: string, path: string, file: HubFile | Uint8Array): void;
  /**
   * Puts a file on the web server and returns its URL. `validator: false` leaves out the ETag. Web pages of other sites
   * may read the file, though not all headers, unless it is `closed`.
   */
  putFile(path: string, bytes: Uint8Array, options?: { validator?: false; closed?: true }): string;
  /** Lets only this token read the repository. */
  gate(repo: string, token: string): void;
  /** Sets the number of downloads that the search tells of a repository. */
  count(repo: string, downloads: number): void;
  /** Moves all pages of lists but the first to another origin, which is not the hub. */
  moveLists(): void;
  /**
   * Lets the next `times` requests for the path go wrong; without a number, all. Faults of one path come one after
   * another.
   */
  fail(stage: Stage, path: string, fault: Fault, times?: number): void;
  /** Stops the servers and cuts their connections. */
  close(): Promise<void>;
}

/** A file of the web server. */
interface PlainFile {
  bytes: Uint8Array;
  validator: boolean;
  closed: boolean;
}

/** The headers by which a plain host lets web pages of other sites read it. */
const OPEN = { 'access-control-allow-origin': '*' };
/** The headers by which a hub does. */
const OPEN_HUB = {
  ...OPEN,
  'access-control-expose-headers': 'X-Repo-Commit,X-Error-Code,ETag,Link,Accept-Ranges,Content-Range,X-Linked-ETag',
};

/** Starts a hub without repositories on ports of its own. */
export async function startHub(): Promise<TestHub> {
  const repos = new Map<string, Repo>();
  const files = new Map<string, PlainFile>();
  const faults = createFaultPlan();
  let listsMoved = false;

  const answers = createHubAnswers({
    repos,
    faults,
    listsUrl: () => urlOf(listsMoved ? web : hub),
    contentUrl: () => urlOf(cdn),
  });
  const hub = createServer(hubListener(answers));
  const web = createServer(webListener(answers, files, faults));
  const cdn = createServer(contentListener(repos, faults));
  await Promise.all([hub, cdn, web].map(listen));

  return {
    url: urlOf(hub),
    requests: faults.requests,
    put(repoId, path, file) {
      const repo = repos.get(repoId) ?? { files: new Map(), commit: '' };
      putInto(repo, path, file instanceof Uint8Array ? { bytes: file } : file);
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
      faults.plan(stage, path, fault, times);
    },
    async close() {
      await Promise.all([hub, cdn, web].map(stop));
    },
  };
}

type Answers = ReturnType<typeof createHubAnswers>;

/** Answers as the hub itself. */
function hubListener(answers: Answers): RequestListener {
  return (req, res) => {
    allow(res, OPEN_HUB);
    const url = new URL(req.url ?? '/', 'http://hub');
    const [, repoId, path] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (url.pathname === '/api/models') answers.search(req, res, url);
    else if (url.pathname.startsWith('/api/')) answers.repository(req, res, url);
    else if (repoId && path) answers.resolve(req, res, repoId, path);
    else res.writeHead(404).end();
  };
}

/** Answers as the web server: with its files, and with the pages of lists that were moved to it. */
function webListener(answers: Answers, files: ReadonlyMap<string, PlainFile>, faults: FaultPlan): RequestListener {
  return (req, res) => {
    const url = new URL(req.url ?? '/', 'http://web');
    if (url.pathname.startsWith('/api/')) {
      answers.repository(req, res, url);
      return;
    }
    const name = decodeURIComponent(url.pathname.slice(1));
    const fault = faults.note('content', name, req);
    const file = files.get(name);
    if (!file?.closed) allow(res, OPEN);
    if (file) sendFile(req, res, file.bytes, file.validator ? `"${sha256(file.bytes)}"` : null, fault);
    else res.writeHead(404).end();
  };
}

/** Answers as the hub's content server, to which `resolve` leads. */
function contentListener(repos: ReadonlyMap<string, Repo>, faults: FaultPlan): RequestListener {
  return (req, res) => {
    allow(res, OPEN_HUB);
    const { pathname } = new URL(req.url ?? '/', 'http://cdn');
    const [, repoId = '', path = ''] = /^\/([^/]+\/[^/]+)\/(.+)$/.exec(decodeURIComponent(pathname)) ?? [];
    const fault = faults.note('content', path, req);
    const file = repos.get(repoId)?.files.get(path);
    // No two copies of a file have the same ETag on a hub's content servers.
    if (file) sendFile(req, res, file.bytes, `"${randomUUID()}"`, fault);
    else res.writeHead(404).end();
  };
}

function allow(res: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
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
