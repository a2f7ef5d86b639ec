import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../../package-root.ts';
import { sum } from '../../../../utils/sum.ts';
import { bindKernels, type KernelLibrary } from './bindings.ts';
import { GGML_TYPE } from './structs.ts';

/** The kernels that multiply matrices on the CPU, and that find the highest logits. */
export interface Kernels extends Partial<Pick<KernelLibrary, 'highest' | 'search' | 'keepOrder'>> {
  /** The instruction set of Paddock's kernels, as in `AVX512-VNNI`; null if llama.cpp's own kernels compute. */
  instructions: string | null;
  /** In words, for the log: the instruction set, or the reason why llama.cpp's own kernels compute. */
  description: string;
  /** Returns the number of products that Paddock's kernels have computed in this process. */
  products(): number;
  /** Moves mapped files into huge pages. */
  pages?: Pick<KernelLibrary, 'movePages' | 'movedPages' | 'endPages'>;
}

/**
 * The formats of weights that llama.cpp rearranges when it loads a model, and for which Paddock has no kernels:
 * `LLAMA_FTYPE_MOSTLY_` Q2_K, Q2_K_S, IQ4_NL and MXFP4_MOE; and Q4_0, whose rearranged form gives a single stream a
 * quarter more tokens per second.
 */
const REARRANGED = [2, 10, 21, 25, 38];

/**
 * Returns true if llama.cpp is to copy the weights into a layout of its own. Paddock's kernels read weights as they lie
 * in the file, which then stays mapped: a Q4_K model of 4 GB is loaded in a second, and takes 4.2 GB in place of 7.7.
 *
 * @param fileType llama.cpp's number of the format of most weights
 * @param hasMatrixUnit true for a processor with AMX, which only llama.cpp's layout makes use of
 */
export function rearrangesWeights(kernels: Kernels, fileType: number | undefined, hasMatrixUnit: boolean): boolean {
  return kernels.instructions === null || hasMatrixUnit || (fileType !== undefined && REARRANGED.includes(fileType));
}

/**
 * Opens Paddock's kernels for this machine. It has to be called before llama.cpp's library for the CPU is loaded: the
 * dynamic linker then takes their functions in place of those with the same names there.
 *
 * @param stock true if llama.cpp's own kernels are wanted
 */
export function openKernels(stock: boolean, machine = `${process.platform}-${process.arch}`): Kernels {
  const stocked = (reason: string): Kernels => ({
    instructions: null,
    description: `stock: ${reason}`,
    products: () => 0,
  });
  if (stock) return stocked('as configured');
  if (machine !== 'linux-x64') return stocked(`there are no others for ${machine}`);
  const file = fileURLToPath(new URL('native/prebuilt/linux-x64/libpaddock-kernels.so', packageRoot()));
  if (!existsSync(file)) return stocked("Paddock's kernels are not installed");
  const { describe, products, highest, search, keepOrder, ...pages } = bindKernels(file);
  const instructions = describe();
  if (instructions === null) return stocked('the processor has no AVX2');
  const count = () => sum(Object.values(GGML_TYPE).map(products));
  return { instructions, description: instructions, products: count, highest, search, keepOrder, pages };
}
