import { notSupportedHere } from '../../contract/errors.ts';
import type { MediaReader } from '../../contract/media.ts';
import { isPublicAddress } from '../../net/node/public-address.ts';
import { createTurns } from '../../utils/turns.ts';
import { MEDIA_LIMITS, type MediaLimits } from '../limits.ts';
import { createMediaReader } from '../reader.ts';
import { decodeInThread } from './audio/decode-thread.ts';
import { fetchMediaFile } from './fetch-file.ts';

export interface ServerMediaOptions {
  /** True if URLs may lead to this machine and to its own networks. */
  allowPrivate: boolean;
  limits?: MediaLimits;
}

/**
 * Makes the reader for the media of a server's requests. An image throws a 501 `ApiError` on a machine where sharp does
 * not load.
 */
export function createServerMediaReader({ allowPrivate, limits = MEDIA_LIMITS }: ServerMediaOptions): MediaReader {
  const inTurn = createTurns();
  const mayAsk = allowPrivate ? () => true : isPublicAddress;
  return createMediaReader(
    {
      fetchFile: (url, signal) => fetchMediaFile(url, { mayAsk, limits }, signal),
      async toPng(...request) {
        const { toPng } = await loadDecoder();
        return toPng(...request, limits.imagePixels);
      },
      // One at a time, so that it never needs the memory of two.
      toWav: (file, type, signal) =>
        inTurn(async () => {
          signal.throwIfAborted();
          return decodeInThread({ file, type, limitSeconds: limits.audioSeconds }, signal);
        }),
    },
    limits,
  );
}

/** Loads sharp with the first image. Some machines have no build of it. */
function loadDecoder() {
  return import('./decode-image.ts').catch(() => {
    throw notSupportedHere('Images can not be taken here: sharp, which reads them, does not load.');
  });
}
