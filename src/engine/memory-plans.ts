import type { MemoryPlan } from './memory-estimate.ts';

/**
 * Lists the plans to try for a model, in order: the context windows as given, each in the formats of its KV cache. A
 * chat model on WebAssembly keeps floats if they fit. WebAssembly has no instruction that reads half floats, so
 * attention over half floats takes most of the time of a long conversation.
 */
export function memoryPlans(sizes: Omit<MemoryPlan, 'contextLength'>, lengths: number[]): MemoryPlan[] {
  const isWide = sizes.backend === 'wasm' && sizes.kind === 'chat';
  return lengths.flatMap((contextLength) => {
    const plan = { ...sizes, contextLength };
    return isWide ? [{ ...plan, floatCache: true }, plan] : [plan];
  });
}
