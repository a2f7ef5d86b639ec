import { silentLog } from '../../../../contract/log.ts';
import { openLibrary } from './library.ts';

/** The build of llama.cpp that computes on this machine's CPU. */
export interface LlamaBuild {
  /** As in `v0.5.0`. */
  version: string;
  /** The instruction sets that its kernels use here, as in `AVX2` and `AVX512_VNNI`. */
  instructionSets: string[];
  /** The kernels that multiply matrices: an instruction set of Paddock's, or `stock` with the reason. */
  kernels: string;
}

/**
 * Opens llama.cpp's libraries for the CPU and compares their API with the API that Paddock is written for. Call it in a
 * process of its own: a library that does not fit the machine crashes the process.
 *
 * @throws an Error with the reason if there are no libraries, if a function is missing or if a struct has another
 *   layout
 */
export async function describeBuild(): Promise<LlamaBuild> {
  const { llama, kernels, instructionSets } = await openLibrary(false, silentLog);
  return {
    version: llama.llama_version(),
    instructionSets,
    kernels: kernels.description,
  };
}
