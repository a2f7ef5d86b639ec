import { MOST_PIXELS } from '../../core/media.ts';
import { blobBytes } from '../../gguf/blob-bytes.ts';
import { createFields } from '../../gguf/fields.ts';
import { readGgufHeader } from '../../gguf/header.ts';
import { readProjectorShape } from '../../gguf/projector.ts';

/** What a projector asks of the runtime that it is loaded into. */
export interface ProjectorNeeds {
  /** Tokens that one forward pass must hold at least. */
  passSize: number;
  /** Threads that llama.cpp starts besides those it computes with. */
  helpers: number;
}

/** A recording is taken apart into its frequencies by four threads whatever llama.cpp computes with (`mtmd-audio.cpp`). */
const AUDIO_HELPERS = 3;

/** What the projector in this file asks for; no file asks for nothing. */
export async function projectorNeeds(file: Blob | undefined): Promise<ProjectorNeeds> {
  if (!file) return { passSize: 0, helpers: 0 };
  const { fields } = await readGgufHeader(blobBytes(file));
  const { tokensTogether, audio } = readProjectorShape(createFields(fields), MOST_PIXELS);
  return { passSize: tokensTogether, helpers: audio ? AUDIO_HELPERS : 0 };
}
