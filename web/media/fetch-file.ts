import { gather } from '../../src/media/gather.ts';
import type { MediaLimits } from '../../src/media/limits.ts';
import { fileTooLarge, MediaProblem, unreachable } from '../../src/media/problem.ts';
import { chunksOf } from '../body-chunks.ts';

/**
 * Fetches the file at an http(s) URL, if its host lets pages of other sites read it. The browser limits the redirects
 * and blocks private networks.
 *
 * @throws MediaProblem
 */
export async function fetchMediaFile(
  url: URL,
  { fileBytes, fetchMs }: Pick<MediaLimits, 'fileBytes' | 'fetchMs'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(fetchMs);
  const cancel = new AbortController();
  try {
    const response = await fetch(url, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([signal, timeout, cancel.signal]),
    });
    if (!response.ok) throw unreachable(`could not be fetched: its host answered with status ${response.status}.`);
    if (Number(response.headers.get('content-length')) > fileBytes) throw fileTooLarge(fileBytes);
    return await gather(chunksOf(response.body), fileBytes);
  } catch (error) {
    if (timeout.aborted) throw unreachable(`has not come within ${fetchMs / 1000} s.`);
    if (error instanceof MediaProblem) throw error;
    throw unreachable('could not be fetched: its host is down, or lets no page of another site read its files (CORS).');
  } finally {
    // Stops the download if the body was not read to its end.
    cancel.abort();
  }
}
