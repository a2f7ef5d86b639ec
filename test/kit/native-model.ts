import { openLibrary } from '../../src/engine/native/llama/library/library.ts';
import type { ModelParams } from '../../src/engine/native/llama/library/structs.ts';
import { type LlamaModel, openModel } from '../../src/engine/native/llama/model.ts';
import { silentLog } from './log.ts';

/**
 * Loads a model with llama.cpp on the CPU. It has to be closed. Throws if llama.cpp does not take the file.
 *
 * @param params `vocab_only` for a file without weights, `load_mtp` for the MTP layers too
 */
export async function openNativeModel(
  path: string,
  params: Partial<Pick<ModelParams, 'vocab_only' | 'load_mtp'>> = {},
): Promise<LlamaModel> {
  const library = await openLibrary(false, silentLog);
  const model = await openModel(library, path, { n_gpu_layers: 0, ...params });
  if (!model) throw new Error(`llama.cpp did not load ${path}: ${library.takeError()}`);
  return model;
}
