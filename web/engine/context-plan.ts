import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import { MOST_WASM_BATCH } from '../../src/engine/batch-size.ts';
import { contextLengths } from '../../src/engine/context-length.ts';
import { estimateMemory } from '../../src/engine/memory-estimate.ts';
import { memoryPlans } from '../../src/engine/memory-plans.ts';
import { formatBytes } from '../../src/utils/bytes.ts';
import type { BrowserSource } from '../protocol.ts';

/** The context window of a model, in tokens, and the model's estimated memory with it, in bytes. */
export interface ContextPlan {
  contextLength: number;
  memory: number;
  /** True if WebAssembly keeps keys and values as floats; see `memoryPlans`. */
  floatCache: boolean;
}

/**
 * Returns the longest context window that fits WebAssembly's memory. A window that the model's settings ask for is not
 * shortened. If no window fits, `shortage` says why, in a sentence for users.
 */
export function planContext({ kind, shape, contextLength: asked }: BrowserSource): ContextPlan | { shortage: string } {
  const backend = 'wasm';
  const lengths =
    asked === undefined ? contextLengths({ backend, kind, trained: shape.trainedContextLength }) : [asked];
  const sizes = { backend, kind, slots: 1, threads: 1, batchSize: MOST_WASM_BATCH } as const;
  const plans = memoryPlans(sizes, lengths).map((plan) => ({
    contextLength: plan.contextLength,
    memory: estimateMemory(shape, plan).total,
    floatCache: plan.floatCache ?? false,
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
