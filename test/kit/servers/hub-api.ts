import type { IncomingMessage, ServerResponse } from 'node:http';
import { misbehave, sendFile } from './hub-content.ts';
import type { FaultPlan } from './hub-faults.ts';
import { gitOid, pageOfFiles, type Repo, searchRepos, sha256 } from './hub-repos.ts';

/** The content of a hub. */
export interface HubContent {
  repos: ReadonlyMap<string, Repo>;
  faults: FaultPlan;
  /** Returns the URL of the server that has the next pages of lists. */
  listsUrl: () => string;
  /** Returns the URL of the content server. */
  contentUrl: () => string;
}

type Answer = (req: IncomingMessage, res: ServerResponse, url: URL) => void;

/** Returns the answers of Hugging Face's API, each with the fault that is planned for the request. */
export function createHubAnswers({ repos, faults, listsUrl, contentUrl }: HubContent) {
  /** Answers `/api/models?search=...`. */
  const search: Answer = (req, res, { searchParams }) => {
    const words = searchParams.get('search') ?? '';
    const fault = faults.note('search', words, req);
    if (fault) misbehave(res, fault);
    else sendJson(res, 200, searchRepos(repos, words).slice(0, Number(searchParams.get('limit'))));
  };

  /** Answers `/api/models/<repository>/revision/<revision>` and `.../tree/<revision>`. */
  const repository: Answer = (req, res, url) => {
    const [, repoId = '', kind, revision = ''] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)/.exec(url.pathname) ?? [];
    const stage = kind === 'tree' ? 'list' : 'info';
    const fault = faults.note(stage, repoId, req);
    const repo = repos.get(repoId);
    if (fault) {
      misbehave(res, fault);
    } else if (!repo || !['main', repo.commit].includes(revision)) {
      sendJson(res, 404, { error: 'Repository not found' }, { 'x-error-code': 'RepoNotFound' });
    } else if (stage === 'info') {
      sendJson(res, 200, { _id: '1', id: repoId, sha: repo.commit, private: false });
    } else {
      const { files, next } = pageOfFiles(repo, Number(url.searchParams.get('cursor') ?? 0));
      const link = `<${listsUrl()}${url.pathname}?recursive=true&cursor=${next}>; rel="next"`;
      sendJson(res, 200, files, next === null ? {} : { link });
    }
  };

  /** Answers `/<repository>/resolve/<revision>/<path>`: with a small file itself, else with the place of the file. */
  const resolve = (req: IncomingMessage, res: ServerResponse, repoId: string, path: string) => {
    const fault = faults.note('resolve', path, req);
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
      const location = `${contentUrl()}/${repoId}/${path}?signature=secret`;
      const headers = { location, 'x-linked-etag': `"${sha256(file.bytes)}"`, 'x-repo-commit': repo.commit };
      res.writeHead(302, headers).end();
    }
  };

  return { search, repository, resolve };
}

function sendJson(res: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
