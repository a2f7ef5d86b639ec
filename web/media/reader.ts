import type { MediaReader } from '../../src/contract/media.ts';
import { MEDIA_LIMITS, type MediaLimits } from '../../src/media/limits.ts';
import { createMediaReader } from '../../src/media/reader.ts';
import { fetchFile } from './fetch-file.ts';
import { toPng } from './to-png.ts';

/** Reads the media of requests in a browser, in any worker or page. */
export function createBrowserMediaReader(limits: MediaLimits = MEDIA_LIMITS): MediaReader {
  return createMediaReader({ fetchFile: (url, signal) => fetchFile(url, limits, signal), toPng }, limits);
}
