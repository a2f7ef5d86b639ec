import { formatBytes } from '../core/bytes.ts';
import type { BackendName } from '../core/runner.ts';
import { contextLengths } from '../engine/context-length.ts';
import type { ModelShape, ModelSource } from '../engine/engine.ts';
import { estimateMemory, type MemoryPlan } from '../engine/memory-estimate.ts';
import { WASM_MEMORY_BYTES } from '../engine/wasm/memory-limit.ts';
import type { Claim, Shortage } from './keeper.ts';

/** Tells the client what helps against a shortage of memory. */
export const ADVICE = 'A shorter --ctx-len, fewer --slots or a smaller quantization of the model needs less.';

/** Room for a model, or the shortage in words for the client. `needed` is in bytes. */
export type Room = { plan: MemoryPlan; needed: number } | { shortage: string };

/**
 * Tries the plans in order and claims room for the first that fits. Memory on a GPU is not claimed, because only the
 * driver knows how much there is.
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

/**
 * Lists the context windows to try, in tokens, the longest first. A window that the user asked for is not shortened.
 */
export function contextsToTry(backend: BackendName, { kind, shape }: ModelSource, asked: number | null): number[] {
  if (asked !== null) return [asked];
  const { trainedContextLength: trained, poolsLast: batched } = shape;
  const lengths = contextLengths({ backend, kind, trained, batched });
  // On a GPU, llama.cpp shortens the window itself, so the estimate takes the shortest.
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
    `it needs ${formatBytes(needed)} (${formatBytes(weights)} of weights, ${formatBytes(cache)} of cache for ${windows}, ` +
    `${formatBytes(compute)} to compute), and ${formatBytes(available)} can be had. ${ADVICE}`
  );
}
