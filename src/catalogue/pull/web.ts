import { downloadFailed, sourceForbidden, sourceNotFound } from './errors.ts';
import { openUrl } from './http.ts';
import { localName, shardsOf } from './names.ts';
import { type PersistOptions, persist, TemporaryFailure } from './patience.ts';
import type { Host, RemoteFile } from './remote.ts';

/**
 * Asks a web server about a file. If it is one part of a split model, asks about all parts.
 *
 * @throws ApiError
 */
export async function probeUrl(url: string, options: PersistOptions): Promise<RemoteFile[]> {
  const files: RemoteFile[] = [];
  for (const path of shardsOf(new URL(url).pathname)) {
    const part = new URL(url);
    part.pathname = path;
    files.push(await persist(() => probe(part, options), options));
  }
  return files;
}

/** Asks for a single byte with GET, since many signed URLs refuse HEAD. */
async function probe(url: URL, options: PersistOptions): Promise<RemoteFile> {
  const name = localName(decodeURIComponent(url.pathname));
  const host = createWebHost(url, name);
  const ask = async (asked: Record<string, string>) => {
    const response = await openUrl(url.href, asked, options);
    response.close();
    // An empty file has no first byte; the host then answers 416.
    if (response.status >= 400 && response.status !== 416) throw host.refusal(response.status, null);
    return response;
  };
  let { status, headers } = await ask({ range: 'bytes=0-0' });
  // Many hosts hide `content-range` from web pages, but not the length of the whole file.
  if (status === 206 && !headers.has('content-range')) ({ status, headers } = await ask({}));
  const size = status === 200 ? headers.get('content-length') : headers.get('content-range')?.split('/')[1];
  if (size === null || size === undefined || !/^\d+$/.test(size))
    throw new TemporaryFailure(`${url.host} does not say how long ${name} is`, { retries: 0 });
  return { name, url: url.href, size: Number(size), sha256: null, validator: readValidator(headers), host };
}

/** Returns the header that proves that a file is unchanged: https://www.rfc-editor.org/rfc/rfc9110#field.if-range */
export function readValidator(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag?.startsWith('"') ? etag : headers.get('last-modified');
}

function createWebHost({ host, protocol }: URL, name: string): Host {
  return {
    headers: {},
    refusal(status) {
      const answer = `${protocol}//${host} answered with status ${status} for ${name}.`;
      if (status === 404 || status === 410) return sourceNotFound(answer);
      return status === 401 || status === 403 ? sourceForbidden(answer) : downloadFailed(answer);
    },
  };
}
