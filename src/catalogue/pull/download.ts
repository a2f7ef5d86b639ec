import { diskFull } from './errors.ts';
import { type OpenResponse, openUrl } from './http.ts';
import { NoRoom, type PartFile } from './part-file.ts';
import { type PersistOptions, persist, TemporaryFailure } from './patience.ts';
import type { RemoteFile } from './remote.ts';
import { readValidator } from './web.ts';

export interface DownloadOptions extends PersistOptions {
  /** Gets the number of bytes on disk, at the start and after each piece. */
  onBytes: (bytes: number) => void;
}

/** A wrong answer may come from a proxy and pass, so it is worth two more attempts. */
const WRONG_ANSWER = { retries: 2 };

/** The bytes on disk turned out to belong to an earlier version of the file. */
class Outdated extends TemporaryFailure {}

/**
 * Fetches a file into `part` until it has its full length. It continues after the bytes that `part` already has. It
 * does not check the content.
 *
 * @throws ApiError
 */
export async function download(file: RemoteFile, part: PartFile, options: DownloadOptions): Promise<void> {
  let furthest = await part.size();
  options.onBytes(furthest);
  await persist(async (progressed) => {
    const have = await resumableBytes(file, part);
    if (have === file.size) return;
    const response = await request(file, have, options);
    try {
      const start = checkAnswer(file, have, response);
      await append(file, part, start, response.body, (bytes) => {
        options.onBytes(bytes);
        // A server that drops every connection at the same byte makes no progress.
        if (bytes > furthest) progressed();
        furthest = Math.max(furthest, bytes);
      });
    } catch (error) {
      if (error instanceof Outdated) await part.clear();
      throw error;
    } finally {
      response.close();
    }
  }, options);
}

/**
 * Returns how many of the bytes on disk can be kept. Without a sha256 or a validator, a mixture of two versions of the file could not be
 * detected, so all bytes are deleted.
 */
async function resumableBytes({ size, sha256, validator }: RemoteFile, part: PartFile): Promise<number> {
  const have = await part.size();
  const sound = have <= size && (sha256 !== null || validator !== null);
  if (!sound && have > 0) await part.clear();
  return sound ? have : 0;
}

async function request(file: RemoteFile, have: number, options: DownloadOptions): Promise<OpenResponse> {
  const headers: Record<string, string> = { ...file.host.headers };
  if (have > 0) {
    headers.range = `bytes=${have}-`;
    // The hub's mirrors have different ETags for the same content. If there is a sha256, it decides.
    if (file.sha256 === null && file.validator !== null) headers['if-range'] = file.validator;
  }
  return openUrl(file.url, headers, options);
}

/** Checks that the answer belongs to this file before any byte is kept. Returns the position at which it begins. */
function checkAnswer(file: RemoteFile, have: number, { status, headers }: OpenResponse): number {
  const { name, size, host } = file;
  if (status === 416) throw wrongAnswer(`the host has no byte ${have} of ${name}, which should have ${size}`);
  if (status >= 400) throw host.refusal(status, headers.get('x-error-code'));
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw wrongAnswer(`the host sends ${name} compressed, which was not asked for`);
  if (status === 206) {
    if (!isRest(file, have, headers)) throw wrongAnswer(`the host sends a wrong part of ${name}`);
    if (file.sha256 === null && readValidator(headers) !== file.validator)
      throw new Outdated(`the host has another ${name} by now`, WRONG_ANSWER);
    return have;
  }
  const length = headers.get('content-length');
  if (status !== 200 || length === null || Number(length) !== size)
    throw wrongAnswer(`the host sends ${length ?? 'an unknown number of'} bytes of ${name}, which should have ${size}`);
  return 0;
}

/** Some hosts hide `content-range` from web pages. The length of the rest is always visible. */
function isRest({ size }: RemoteFile, have: number, headers: Headers): boolean {
  const range = headers.get('content-range');
  if (range === null) return Number(headers.get('content-length')) === size - have;
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range) ?? [];
  return Number(start) === have && (total === '*' || Number(total) === size);
}

async function append(
  { name, size }: RemoteFile,
  part: PartFile,
  start: number,
  body: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let position = start;
  if (start === 0) await part.clear();
  try {
    for await (const piece of body) {
      if (position + piece.length > size) throw wrongAnswer(`the host sends more than ${size} bytes of ${name}`);
      await part.write(piece, position);
      position += piece.length;
      onBytes(position);
    }
    if (position === size) await part.flush();
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error;
    throw diskFull(`${error.message} after ${position} of the ${size} bytes of ${name}. What is there is kept.`);
  }
  if (position < size) throw new TemporaryFailure(`the host ended ${name} after ${position} of ${size} bytes`);
}

function wrongAnswer(message: string): TemporaryFailure {
  return new TemporaryFailure(message, WRONG_ANSWER);
}
