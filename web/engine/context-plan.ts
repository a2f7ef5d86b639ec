import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import { contextLengths } from '../../src/engine/context-length.ts';
import { estimateMemory, MOST_WASM_BATCH } from '../../src/engine/memory-estimate.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import type { BrowserSource } from '../protocol.ts';

/** The context window of a model, in tokens, and the model's estimated memory with it, in bytes. */
export interface ContextPlan {
  contextLength: number;
  memory: number;
}

/**
 * Returns the longest context window that fits WebAssembly's memory. A window that the model's settings ask for is not
 * shortened. If no window fits, `shortage` says why, in a sentence for users.
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
