import type { BackendName } from '../core/runner.ts';
import { contextLengths } from '../engine/context-length.ts';
import type { ModelShape, ModelSource } from '../engine/engine.ts';
import { estimateMemory, inWords, type MemoryPlan } from '../engine/memory-estimate.ts';
import { WASM_MEMORY_BYTES } from '../engine/wasm/memory-limit.ts';
import type { Claim, Shortage } from './keeper.ts';

/** What helps against a shortage, for the caller. */
export const ADVICE = 'A shorter --ctx-len, fewer --slots or a smaller quantization of the model needs less.';

/** Room for a model, or what lacks in words for the caller. */
export type Room = { plan: MemoryPlan; needed: number } | { shortage: string };

/**
 * Claims room for the longest context window that there is room for, and `needed` bytes with it. Where memory is scarce,
 * a window that nobody asked for is shortened. A GPU is claimed nothing for: only its driver knows its memory.
 */
export async function findRoom(shape: ModelShape, plans: MemoryPlan[], claim: Claim): Promise<Room> {
  let shortage = '';
  for (const plan of plans) {
    const needed = estimateMemory(shape, plan).total;
    const lack = wasmLack(plan, needed) ?? (await claim(plan.backend === 'gpu' ? 0 : needed));
    if (lack === null) return { plan, needed };
    shortage = describeShortage(shape, plan, lack);
  }
  return { shortage };
}

/** The context windows to try, in tokens, longest first. One that is asked for is not shortened. */
export function contextsToTry(backend: BackendName, { kind, shape }: ModelSource, asked: number | null): number[] {
  if (asked !== null) return [asked];
  const { trainedContextLength: trained, poolsLast: batched } = shape;
  const lengths = contextLengths({ backend, kind, trained, batched });
  // On a GPU llama.cpp itself shortens the window.
  return backend === 'gpu' ? lengths.slice(-1) : lengths;
}

function wasmLack({ backend, threads }: MemoryPlan, needed: number): Shortage | null {
  const each = needed / threads;
  return backend === 'wasm' && each > WASM_MEMORY_BYTES ? { needed: each, available: WASM_MEMORY_BYTES } : null;
}

function describeShortage(shape: ModelShape, plan: MemoryPlan, { needed, available }: Shortage): string {
  const { weights, cache, compute } = estimateMemory(shape, plan);
  const { slots, threads, contextLength } = plan;
  const windows = `${slots * threads} ${slots * threads === 1 ? 'slot' : 'slots'} of ${contextLength} tokens`;
  return (
    `it needs ${inWords(needed)} (${inWords(weights)} of weights, ${inWords(cache)} of cache for ${windows}, ` +
    `${inWords(compute)} to compute), and ${inWords(available)} can be had. ${ADVICE}`
  );
}
