import { declare } from '../library/functions.ts';
import type { Pointer } from '../library/pointer.ts';

/**
 * The functions of llama-ext.h that Paddock calls, in the form of `FUNCTIONS`. They are C++ and no part of llama.cpp's stable API. Their
 * names in the libraries are those of the Itanium ABI; the libraries for Windows have others.
 */
export const HIDDEN_FUNCTIONS = {
  /**
   * Has the passes of a context give the outputs of its last layer: of all tokens or, if `masked`, of those whose
   * logits are asked for.
   */
  _Z26llama_set_embeddings_nextnP13llama_contextbb: declare<
    (context: Pointer, given: boolean, masked: boolean) => void
  >('void _Z26llama_set_embeddings_nextnP13llama_contextbb(void *context, bool given, bool masked)'),
  /** Returns the last layer's output for a token of the latest batch. Waits for the end of the pass. */
  _Z30llama_get_embeddings_nextn_ithP13llama_contexti: declare<(context: Pointer, index: number) => Pointer | null>(
    'void *_Z30llama_get_embeddings_nextn_ithP13llama_contexti(void *context, int32_t index)',
  ),
  /** Has the passes of a context give the inputs of a layer, of all tokens. */
  _Z30llama_set_embeddings_layer_inpP13llama_contextjb: declare<
    (context: Pointer, layer: number, given: boolean) => void
  >('void _Z30llama_set_embeddings_layer_inpP13llama_contextjb(void *context, uint32_t layer, bool given)'),
  /**
   * Returns the inputs of a layer in the latest batch, one token after the other. Waits for the end of the pass. Ends the process if
   * no pass has given them.
   */
  _Z30llama_get_embeddings_layer_inpP13llama_contextj: declare<(context: Pointer, layer: number) => Pointer>(
    'void *_Z30llama_get_embeddings_layer_inpP13llama_contextj(void *context, uint32_t layer)',
  ),
  /** Returns the numbers of the layers from which an EAGLE-3 draft model guesses, and how many there are. */
  _Z28llama_model_target_layer_idsPK11llama_model: declare<(model: Pointer) => Pointer>(
    'void *_Z28llama_model_target_layer_idsPK11llama_model(void *model)',
  ),
  _Z30llama_model_target_layer_ids_nPK11llama_model: declare<(model: Pointer) => number>(
    'uint32_t _Z30llama_model_target_layer_ids_nPK11llama_model(void *model)',
  ),
};
