import { contextLengths } from '../../src/engine/context-length.ts';
import { estimateMemory, MOST_WASM_BATCH } from '../../src/engine/memory-estimate.ts';
import { WASM_MEMORY_BYTES } from '../../src/engine/wasm/memory-limit.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import type { BrowserSource } from '../protocol.ts';

/** How a model is loaded: with a context window of so many tokens, and in so many bytes of memory by estimate. */
export interface ContextPlan {
  contextLength: number;
  memory: number;
}

/**
 * Finds the longest context window that fits WebAssembly's memory. A window that is asked for is not shortened. When
 * none fits, `shortage` tells people why.
 */
export function planContext({ kind, shape, contextLength: asked }: BrowserSource): ContextPlan | { shortage: string } {
  const backend = 'wasm';
  const lengths =
    asked === undefined ? contextLengths({ backend, kind, trained: shape.trainedContextLength }) : [asked];
  const plans = lengths.map((contextLength) => ({
    contextLength,
    memory: estimateMemory(shape, { backend, kind, contextLength, slots: 1, threads: 1, batchSize: MOST_WASM_BATCH })
      .total,
  }));
  const fitting = plans.find(({ memory }) => memory <= WASM_MEMORY_BYTES);
  if (fitting) return fitting;
  const least = plans.at(-1);
  return {
    shortage:
      `it needs ${formatBytes(least?.memory ?? 0)} for a context of ${least?.contextLength} tokens, and a browser gives ` +
      `WebAssembly no more than ${formatBytes(WASM_MEMORY_BYTES)}. Take a smaller quantization or a smaller model.`,
  };
}
