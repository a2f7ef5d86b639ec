import type { PullEvent } from '../../contract/models/puller.ts';
import { type DownloadOptions, download } from './download.ts';
import { downloadFailed } from './errors.ts';
import type { PartFile } from './part-file.ts';
import type { RemoteFile } from './remote.ts';
import { verify, WrongContent } from './verify.ts';

/** The most times that a file is fetched if its content is wrong. */
const FETCHES = 2;

/**
 * Fetches and verifies a file. It continues after the bytes that `part` already has. If the content is wrong, all of it
 * is deleted.
 *
 * @throws ApiError
 */
export async function fetchModelFile(
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
