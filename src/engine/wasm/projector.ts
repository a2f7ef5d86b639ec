import { MOST_PIXELS } from '../../contract/media.ts';
import { blobBytes } from '../../gguf/blob-bytes.ts';
import { createFields } from '../../gguf/fields.ts';
import { readGgufHeader } from '../../gguf/header.ts';
import { readProjectorShape } from '../../gguf/projector.ts';

/** The settings of the runtime that a projector needs. */
export interface ProjectorNeeds {
  /** The least number of tokens that one forward pass must hold. */
  passSize: number;
  /** The number of threads that llama.cpp starts in addition to those that compute. */
  helpers: number;
}

/**
 * llama.cpp computes the frequencies of a recording with four threads, however many it is given (`mtmd-audio.cpp`):
 * three besides the calling one.
 */
const AUDIO_HELPERS = 3;

/** Reads what a projector needs from its file. Without a file it needs nothing. */
export async function projectorNeeds(file: Blob | undefined): Promise<ProjectorNeeds> {
  if (!file) return { passSize: 0, helpers: 0 };
  const { fields } = await readGgufHeader(blobBytes(file));
  const { tokensTogether, audio } = readProjectorShape(createFields(fields), MOST_PIXELS);
  return { passSize: tokensTogether, helpers: audio ? AUDIO_HELPERS : 0 };
}
