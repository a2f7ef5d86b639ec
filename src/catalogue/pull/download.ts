import { open, stat, truncate } from 'node:fs/promises';
import { diskFull } from './errors.ts';
import { type OpenResponse, openUrl } from './http.ts';
import { type PersistOptions, persist, TemporaryFailure } from './patience.ts';
import type { RemoteFile } from './remote.ts';

export interface DownloadOptions extends PersistOptions {
  /** Told the bytes on disk, at the start and after each piece. */
  onBytes: (bytes: number) => void;
}

/** A wrong answer of a server may be a passing one, a proxy's for example, but not for long. */
const WRONG_ANSWER = { retries: 2 };

/**
 * Fetches a file into `path`, going on with what is there of it, until it has its length. The content is not looked at.
 *
 * @throws ApiError
 */
export async function download(file: RemoteFile, path: string, options: DownloadOptions): Promise<void> {
  let furthest = await bytesAt(path);
  options.onBytes(furthest);
  await persist(async (progressed) => {
    const have = await resumableBytes(file, path);
    if (have === file.size) return;
    const response = await request(file, have, options);
    try {
      const start = checkAnswer(file, have, response);
      await append(file, path, start, response.body, (bytes) => {
        options.onBytes(bytes);
        // A server that drops every connection at the same byte must not seem to get somewhere.
        if (bytes > furthest) progressed();
        furthest = Math.max(furthest, bytes);
      });
    } finally {
      response.close();
    }
  }, options);
}

/** The length of a file; 0 for one that is not there. */
export async function bytesAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size ?? 0;
}

/** What can be built upon. Without a sha256 in the end or a validator on the way, nothing would tell a mixture of two files. */
async function resumableBytes({ size, sha256, validator }: RemoteFile, path: string): Promise<number> {
  const have = await bytesAt(path);
  const sound = have <= size && (sha256 !== null || validator !== null);
  if (!sound && have > 0) await truncate(path);
  return sound ? have : 0;
}

async function request(file: RemoteFile, have: number, { signal, patience }: DownloadOptions): Promise<OpenResponse> {
  const headers: Record<string, string> = { ...file.host.headers };
  if (have > 0) {
    headers.range = `bytes=${have}-`;
    // A hub's copies have different ETags for the same content, and where there is a sha256, that is what counts.
    if (file.sha256 === null && file.validator !== null) headers['if-range'] = file.validator;
  }
  return openUrl(file.url, { headers, signal, stallMs: patience.stallMs });
}

/** Checks that the answer is a part of this very file, before a byte of it is kept. Returns the position that it begins at. */
function checkAnswer({ name, size, host }: RemoteFile, have: number, { status, headers }: OpenResponse): number {
  if (status === 416) throw wrongAnswer(`the host has no byte ${have} of ${name}, which should have ${size}`);
  if (status >= 400) throw host.refusal(status, headers.get('x-error-code'));
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw wrongAnswer(`the host sends ${name} compressed, which was not asked for`);
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
    if (Number(start) !== have || (total !== '*' && Number(total) !== size))
      throw wrongAnswer(`the host sends a wrong part of ${name}`);
    return have;
  }
  const length = headers.get('content-length');
  if (status !== 200 || length === null || Number(length) !== size)
    throw wrongAnswer(`the host sends ${length ?? 'an unknown number of'} bytes of ${name}, which should have ${size}`);
  return 0;
}

async function append(
  { name, size }: RemoteFile,
  path: string,
  start: number,
  body: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let position = start;
  const handle = await open(path, start > 0 ? 'r+' : 'w');
  try {
    for await (const piece of body) {
      if (position + piece.length > size) throw wrongAnswer(`the host sends more than ${size} bytes of ${name}`);
      for (let written = 0; written < piece.length; ) {
        const { bytesWritten } = await handle.write(piece, written, piece.length - written, position);
        written += bytesWritten;
        position += bytesWritten;
      }
      onBytes(position);
    }
    if (position === size) await handle.sync();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw diskFull(`The disk was full after ${position} of the ${size} bytes of ${name}. What is there is kept.`);
    throw error;
  } finally {
    await handle.close();
  }
  if (position < size) throw new TemporaryFailure(`the host ended ${name} after ${position} of ${size} bytes`);
}

function wrongAnswer(message: string): TemporaryFailure {
  return new TemporaryFailure(message, WRONG_ANSWER);
}
