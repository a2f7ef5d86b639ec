import type { MediaReader } from '../../src/contract/media.ts';
import { MEDIA_LIMITS, type MediaLimits } from '../../src/media/limits.ts';
import { createMediaReader } from '../../src/media/reader.ts';
import { fetchMediaFile } from './fetch-file.ts';
import { toPng } from './to-png.ts';

/** Returns a reader of the images and recordings of requests, for any page or worker of a browser. */
export function createBrowserMediaReader(limits: MediaLimits = MEDIA_LIMITS): MediaReader {
  return createMediaReader({ fetchFile: (url, signal) => fetchMediaFile(url, limits, signal), toPng }, limits);
}
