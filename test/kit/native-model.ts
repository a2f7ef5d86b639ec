import { openLibrary } from '../../src/engine/native/llama/library/library.ts';
import { type LlamaModel, openModel } from '../../src/engine/native/llama/model.ts';
import { silentLog } from './log.ts';

/**
 * Loads a model with llama.cpp on the CPU. It has to be closed. Throws if llama.cpp does not take the file.
 *
 * @param vocabularyOnly true for a file without weights
 */
export async function openNativeModel(path: string, vocabularyOnly = false): Promise<LlamaModel> {
  const library = await openLibrary(false, silentLog);
  const model = await openModel(library, path, { n_gpu_layers: 0, vocab_only: vocabularyOnly });
  if (!model) throw new Error(`llama.cpp did not load ${path}: ${library.takeError()}`);
  return model;
}
