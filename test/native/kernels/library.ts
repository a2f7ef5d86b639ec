import { join } from 'node:path';
import koffi from 'koffi';
import type { TopLogits } from '../../../src/sampling/highest.ts';

/** The repository. */
export const ROOT = join(import.meta.dirname, '../../..');

/** The library that travels with Paddock. */
export const PREBUILT = join(ROOT, 'native/prebuilt/linux-x64/libpaddock-kernels.so');

/** Why the kernels can't be tested on this machine; null if they can. */
export const UNTESTED_BECAUSE =
  process.platform === 'linux' && process.arch === 'x64' ? null : 'the kernels are for Linux on x86-64';

/** The instruction sets, by the names that `select` takes. */
export const INSTRUCTION_SETS = ['avx512-vnni', 'avx-vnni', 'avx2'] as const;

const UNTOUCHED = -7;

/** A product as ggml asks for it. Strides are in blocks; that of the results is in floats. */
export interface Product {
  weightType: number;
  activationType: number;
  rows: number;
  columns: number;
  /** Blocks in a row, and in a column. */
  blocks: number;
  weights: Uint8Array;
  weightStride: number;
  activations: Uint8Array;
  activationStride: number;
  results: Float32Array;
  resultStride: number;
}

export interface KernelLibrary {
  /** Returns false if the processor lacks the instructions. */
  select(name: string): boolean;
  describe(): string | null;
  /** Returns how many products with weights of a type were computed. */
  products(type: number): number;
  /** Computes the part of one of `threads` threads. Returns false if the library leaves the product to ggml. */
  multiply(product: Product, thread: number, threads: number): boolean;
  /** Returns the highest `most` logits; null if the kernels are off. */
  highest(logits: Float32Array, most: number): TopLogits | null;
}

/** Opens a library of kernels for this process alone: its functions do not replace ggml's. */
export function openKernels(file: string): KernelLibrary {
  const library = koffi.load(file);
  const select = library.func('bool paddock_kernels_select(const char *name)');
  const describe = library.func('const char *paddock_kernels_describe()');
  const products = library.func('uint64_t paddock_kernels_products(int type)');
  const sgemm = library.func(
    'bool llamafile_sgemm(const void *params, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc, int a_type, int b_type, int c_type)',
  );
  const highest = library.func(
    'int32_t paddock_kernels_highest(const void *all, int32_t count, int32_t most, int32_t *tokens, float *logits)',
  );
  return {
    highest(logits, most) {
      // One more than there may be, which has to stay as it is.
      const [tokens, found] = [new Int32Array(most + 1).fill(UNTOUCHED), new Float32Array(most + 1).fill(UNTOUCHED)];
      const count = highest(logits, logits.length, most, tokens, found) as number;
      if (count < 0) return null;
      if (tokens[most] !== UNTOUCHED || found[most] !== UNTOUCHED) throw new Error('more was written than asked for');
      return { tokens: [...tokens.subarray(0, count)], logits: [...found.subarray(0, count)] };
    },
    select: (name) => select(name) === true,
    describe: () => describe() as string | null,
    products: (type) => Number(products(type)),
    multiply: (p, thread, threads) =>
      sgemm(
        new Int32Array([thread, threads, 0, 0, 0, 0, 0, 0, 0, 0]),
        ...[p.rows, p.columns, p.blocks],
        ...[p.weights, p.weightStride, p.activations, p.activationStride, p.results, p.resultStride],
        ...[p.weightType, p.activationType, 0],
      ) === true,
  };
}
