import type { PullEvent } from '../../core/puller.ts';
import { type DownloadOptions, download } from './download.ts';
import { downloadFailed } from './errors.ts';
import type { PartFile } from './part-file.ts';
import type { RemoteFile } from './remote.ts';
import { verify, WrongContent } from './verify.ts';

/** How often a file is fetched whose content turns out to be wrong. */
const FETCHES = 2;

/**
 * Fetches a file, going on with what is there of it, until it is whole and right. Nothing is left of a wrong one.
 *
 * @throws ApiError
 */
export async function fetchFile(
  file: RemoteFile,
  part: PartFile,
  emit: (event: PullEvent) => void,
  options: DownloadOptions,
): Promise<void> {
  for (let fetches = 1; ; fetches += 1) {
    await download(file, part, options);
    emit({ status: 'verifying', file: file.name });
    try {
      return await verify(file, part, options.signal);
    } catch (error) {
      if (!(error instanceof WrongContent)) throw error;
      await part.clear();
      const complaint = `${file.name} ${error.message}`;
      if (!error.hopeful || fetches === FETCHES) throw downloadFailed(`${complaint}. It has been deleted.`);
      emit({ status: 'waiting', reason: `${complaint}; it is deleted and fetched anew` });
    }
  }
}
