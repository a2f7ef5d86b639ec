import { findStarter, startersLike } from '../../contract/models/find-starter.ts';
import { STARTERS } from '../../contract/models/starters.ts';
import { invalidSource } from './errors.ts';
import { isGguf, isSafeName, lastStep } from './names.ts';

/** The source that a user named. */
export type PullSource =
  /** The model of a repository, in a quantization of the user's choice. */
  | { kind: 'repo'; repo: string; revision: string; quant: string | null }
  /** One file of a repository, or the split model that it is a part of. */
  | { kind: 'file'; repo: string; revision: string; path: string }
  /** A file on any other web server. */
  | { kind: 'url'; url: string };

const VALID =
  'It must be the name of a starter model, hf:org/repo, hf:org/repo:quant, hf:org/repo/path/file.gguf or the http(s) URL of a .gguf file; ' +
  'a revision other than main goes behind the repository: hf:org/repo@revision:quant.';

const STEP = '[A-Za-z0-9][A-Za-z0-9._-]*';
const HF = new RegExp(`^hf:(?<repo>${STEP}/${STEP})(?:@(?<revision>${STEP}))?(?::(?<quant>${STEP})|/(?<path>.+))?$`);
/** The path of a hub's web page: of a repository, or of a file or folder in it. */
const PAGE = new RegExp(
  `^/(?<repo>${STEP}/${STEP})(?:/(?:blob|resolve|tree)/(?<revision>${STEP})(?:/(?<path>.+))?)?/?$`,
);

/**
 * Parses a source. The name of a starter model stands for its repository. The URL of a page of the hub (`hubHosts`) means the same as `hf:`, and so does a bare `org/repo`.
 *
 * @throws ApiError that lists the valid forms
 */
export function parseSource(text: string, hubHosts: string[]): PullSource {
  const named = findStarter(text);
  if (named) {
    return { kind: 'repo', repo: named.starter.repository, revision: 'main', quant: named.quantization };
  }
  const source = withScheme(text.trim(), hubHosts);
  if (source.startsWith('hf:')) return fromHub(HF.exec(source)?.groups, source);
  if (!/^https?:\/\//i.test(source)) throw invalid(source);
  const url = parseUrl(source);
  if (hubHosts.includes(url.host)) return fromHub(PAGE.exec(decode(url.pathname, source))?.groups, source);
  const name = lastStep(decode(url.pathname, source));
  if (!isGguf(name) || !isSafeName(name)) throw invalid(source);
  url.hash = '';
  return { kind: 'url', url: url.href };
}

/** Adds the scheme to a bare `org/repo`, and to the address of a page without `https://`. */
function withScheme(source: string, hubHosts: string[]): string {
  const host = hubHosts.find((one) => source.startsWith(`${one}/`));
  if (host !== undefined) return `hf:${source.slice(host.length + 1)}`;
  return HF.test(`hf:${source}`) ? `hf:${source}` : source;
}

function fromHub(parts: Record<string, string | undefined> | undefined, source: string): PullSource {
  const { repo, revision = 'main', quant = null, path } = parts ?? {};
  if (repo === undefined || !repo.split('/').every(isSafeName)) throw invalid(source);
  if (path === undefined) return { kind: 'repo', repo, revision, quant };
  if (!isGguf(path) || !path.split('/').every(isSafeName)) throw invalid(source);
  return { kind: 'file', repo, revision, path };
}

function parseUrl(source: string): URL {
  let url: URL;
  try {
    url = new URL(source);
  } catch {
    throw invalid(source);
  }
  // The name and password would appear in the model's `sources`, where everyone can read them.
  if (url.username !== '' || url.password !== '')
    throw invalidSource('model must be a URL without a user name and a password.');
  return url;
}

function decode(path: string, source: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid(source);
  }
}

/** Names what can be pulled: forms that are valid, and names to copy. */
function invalid(source: string) {
  const said = `model '${source.slice(0, 200)}' is no source of a model.`;
  if (/^[^:]*\.gguf$/i.test(source))
    return invalidSource(`${said} A file of this machine needs no pull: put it into the models folder. ${VALID}`);
  const alike = startersLike(source);
  const names = (alike.length > 0 ? alike : STARTERS).map(({ name }) => name).join(', ');
  return invalidSource(
    `${said} ${VALID} ${alike.length > 0 ? 'Starter models of such a name' : 'Starter models'}: ${names}.`,
  );
}
