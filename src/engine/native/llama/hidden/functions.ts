import { declare } from '../library/functions.ts';
import type { Pointer } from '../library/pointer.ts';

/**
 * The functions of llama-ext.h that Paddock calls, in the form of `FUNCTIONS`. They are C++ and no part of llama.cpp's stable API. Their
 * names in the libraries are those of the Itanium ABI; the libraries for Windows have others.
 */
export const HIDDEN_FUNCTIONS = {
  /**
   * Has the passes of a context give hidden rows, the inputs of MTP layers: of all tokens or, if `masked`, of those whose
   * logits are asked for.
   */
  _Z26llama_set_embeddings_nextnP13llama_contextbb: declare<
    (context: Pointer, given: boolean, masked: boolean) => void
  >('void _Z26llama_set_embeddings_nextnP13llama_contextbb(void *context, bool given, bool masked)'),
  /** Returns the hidden row of a token of the latest batch. Waits for the end of the pass. */
  _Z30llama_get_embeddings_nextn_ithP13llama_contexti: declare<(context: Pointer, index: number) => Pointer | null>(
    'void *_Z30llama_get_embeddings_nextn_ithP13llama_contexti(void *context, int32_t index)',
  ),
};
