import { type ListFileEntry, listFiles, listModels, modelInfo } from '@huggingface/hub';
import { type ApiError, toErrorData } from '../../contract/errors.ts';
import type { FoundRepository } from '../../contract/models/finder.ts';
import type { ListedFile } from './choose.ts';
import { downloadFailed, sourceForbidden, sourceNotFound } from './errors.ts';
import { openUrl, readBodyText } from './http.ts';
import { type PersistOptions, persist } from './patience.ts';
import type { Host } from './remote.ts';

/** A hub with Hugging Face's API. */
export interface Hub {
  /** The hub's URL, without a slash at the end. */
  endpoint: string;
  token: string | null;
  /**
   * Advice for users without a token if a repository needs one. It completes the sentence "Accept its terms and ...".
   */
  advice: string;
}

/** A repository at one commit. */
export interface Repository {
  files: ListedFile[];
  urlOf(path: string): string;
  host: Host;
}

export const HUB_URL = 'https://huggingface.co';
/** No repository of models has more files than this, and a list of this length still fits into memory. */
const MAX_FILES = 100_000;
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/** Returns the hub that the environment names. Throws a plain error if HF_ENDPOINT is not a URL. */
export function hubFrom(env: Record<string, string | undefined>): Hub {
  const endpoint = (env.HF_ENDPOINT || HUB_URL).replace(/\/+$/, '');
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    throw new Error(`HF_ENDPOINT must be an http(s) URL, such as ${HUB_URL}`);
  return { endpoint, token: env.HF_TOKEN?.trim() || null, advice: 'set HF_TOKEN to a token of your account' };
}

/** Returns the hosts whose pages show repositories of this hub. */
export function hubHosts({ endpoint }: Hub): string[] {
  return ['huggingface.co', 'www.huggingface.co', 'hf.co', new URL(endpoint).host];
}

/**
 * Lists a repository's files at the commit that `revision` now stands for. All files come from that one commit, even if
 * the repository changes during the pull.
 *
 * @throws ApiError
 */
export async function openRepository(
  hub: Hub,
  repo: string,
  revision: string,
  options: PersistOptions,
): Promise<Repository> {
  const host = createHubHost(hub, repo);
  return askHub(hub, host, options, async (shared) => {
    const { sha } = await modelInfo({ ...shared, name: repo, revision, additionalFields: ['sha'] });
    const commit = typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha) ? sha : revision;
    const files: ListedFile[] = [];
    for await (const entry of listFiles({ ...shared, repo, revision: commit, recursive: true })) {
      if (files.length >= MAX_FILES) throw downloadFailed(`${repo} lists more than ${MAX_FILES} files.`);
      if (entry.type === 'file') files.push(toListedFile(entry));
    }
    const urlOf = (path: string) =>
      `${hub.endpoint}/${repo}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return { files, urlOf, host };
  });
}

/**
 * Returns the repositories with GGUF files whose names contain these words, the most downloaded first.
 *
 * @throws ApiError
 */
export function searchHub(hub: Hub, words: string, limit: number, options: PersistOptions): Promise<FoundRepository[]> {
  return askHub(hub, createHubHost(hub, ''), options, async (shared) => {
    const found: FoundRepository[] = [];
    const search = { query: words, tags: ['gguf'] };
    for await (const { name, downloads, likes, gated } of listModels({ ...shared, search, sort: 'downloads', limit })) {
      // Only names of this form can be pulled.
      if (!/^[\w.-]+\/[\w.-]+$/.test(name)) continue;
      found.push({ repo: name, downloads: Number(downloads) || 0, likes: Number(likes) || 0, gated: Boolean(gated) });
    }
    return found;
  });
}

/** Asks by the hub's own client, which gets the hub's address and a patient `fetch`. */
async function askHub<Answer>(
  hub: Hub,
  host: Host,
  options: PersistOptions,
  ask: (shared: { hubUrl: string; fetch: typeof fetch }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask({ hubUrl: hub.endpoint, fetch: createHubFetch(hub, host, options) });
  } catch (error) {
    options.signal.throwIfAborted();
    if (toErrorData(error).status !== 500) throw error;
    // The hub's client throws various errors if the answer makes no sense.
    throw downloadFailed(`${new URL(hub.endpoint).host} does not answer as a Hugging Face hub does.`);
  }
}

/** Large files have a sha256. Small ones lie in git itself: the hub's ETag for these is git's own hash. */
function toListedFile({ path, size, oid, lfs }: ListFileEntry): ListedFile {
  const sha256 = lfs && /^[0-9a-f]{64}$/.test(lfs.oid) ? lfs.oid : null;
  const validator = !lfs && oid && /^[0-9a-f]{40,64}$/.test(oid) ? `"${oid}"` : null;
  return { path: String(path), size: Number(lfs?.size ?? size), sha256, validator };
}

/**
 * Makes the `fetch` for the hub's client. It retries, reads the whole body, and sends the token to the hub's origin
 * only.
 */
function createHubFetch(hub: Hub, host: Host, options: PersistOptions): typeof fetch {
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = new URL(url).origin === new URL(hub.endpoint).origin ? host.headers : {};
    return persist(async () => {
      const response = await openUrl(url, headers, options);
      if (response.status >= 400) {
        response.close();
        throw host.refusal(response.status, response.headers.get('x-error-code'));
      }
      const text = await readBodyText(response, MAX_PAGE_BYTES);
      const link = response.headers.get('link');
      return new Response(text, { status: response.status, headers: link === null ? {} : { link } });
    }, options);
  };
}

function createHubHost({ endpoint, token, advice }: Hub, repo: string): Host {
  const page = `${endpoint}/${repo}`;
  return {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    refusal(status, code): ApiError {
      if (status === 404 && code === 'EntryNotFound')
        return sourceNotFound(`A file of ${repo} that is listed is not there any more.`);
      if (status === 404) return sourceNotFound(`There is no repository or revision ${page}.`);
      if (status !== 401 && status !== 403) return downloadFailed(`${page} was answered with status ${status}.`);
      return sourceForbidden(
        token === null
          ? `${repo} is gated or private, or not there at all. Accept its terms at ${page} and ${advice}.`
          : `The account of HF_TOKEN may not read ${repo}, or the token is not valid. Accept the terms at ${page} and check the token.`,
      );
    },
  };
}
