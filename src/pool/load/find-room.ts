import { WASM_MEMORY_BYTES } from '../../contract/engine-info.ts';
import { generousLengths } from '../../engine/context-length.ts';
import type { ModelShape, ModelSource } from '../../engine/engine.ts';
import { estimateMemory, type MemoryPlan } from '../../engine/memory-estimate.ts';
import { formatBytes } from '../../utils/bytes.ts';
import type { Claim, Shortage } from '../residency/claim.ts';

/** Tells the client what helps against a shortage of memory. */
export const ADVICE = 'A shorter --ctx-len, fewer --slots or a smaller quantization of the model needs less.';

/** The plan of memory that fits and its `needed` bytes, or the shortage as a text for the client. */
export type Room = { plan: MemoryPlan; needed: number } | { shortage: string };

/**
 * Tries the plans in order and claims room for the first that fits. Memory on a GPU is not claimed, because only the
 * driver knows how much there is.
 *
 * @param machineBytes returns the part of a plan's bytes that is in the machine's own memory
 */
export async function findRoom(
  shape: ModelShape,
  plans: MemoryPlan[],
  claim: Claim,
  machineBytes: (plan: MemoryPlan, needed: number) => number,
): Promise<Room> {
  let shortage = '';
  for (const plan of plans) {
    const needed = estimateMemory(shape, plan).total;
    const lack = wasmLack(plan, needed) ?? (await claim(machineBytes(plan, needed)));
    if (lack === null) return { plan, needed };
    shortage = describeShortage(shape, plan, lack);
  }
  return { shortage };
}

/** The context windows to try, in tokens, longest first, and the reason for the log. */
export interface Windows {
  lengths: number[];
  reason: string;
}

/**
 * Plans the context windows to try. A configured length is the only one. Without it, the longest window is what the available memory
 * allows, up to the trained length.
 *
 * @param asked the configured length in tokens; null if none is configured
 * @param plan the plan of memory without the context window
 * @param available the bytes that are available now
 */
export function contextsToTry(
  { shape }: ModelSource,
  asked: number | null,
  plan: Omit<MemoryPlan, 'contextLength'>,
  available: number,
): Windows {
  if (asked !== null) return { lengths: [asked], reason: 'as configured' };
  const { trainedContextLength: trained, poolsLast: batched } = shape;
  const { backend, kind } = plan;
  const estimate = (contextLength: number) => estimateMemory(shape, { ...plan, contextLength });
  const free = Math.max(0, available - estimate(0).weights);
  const lengths = generousLengths({ backend, kind, trained, batched }, free, (length) => estimate(length).cache);
  const reason = `the longest up to the trained ${trained} whose cache leaves room for others`;
  return { lengths, reason };
}

function wasmLack({ backend, threads }: MemoryPlan, needed: number): Shortage | null {
  const each = needed / threads;
  return backend === 'wasm' && each > WASM_MEMORY_BYTES ? { needed: each, available: WASM_MEMORY_BYTES } : null;
}

function describeShortage(shape: ModelShape, plan: MemoryPlan, { needed, available, pinned }: Shortage): string {
  if (pinned) return 'the models that stay in memory, those of --preload, leave no room for it.';
  const { weights, cache, compute } = estimateMemory(shape, plan);
  const { slots, threads, contextLength } = plan;
  const windows = `${slots * threads} ${slots * threads === 1 ? 'slot' : 'slots'} of ${contextLength} tokens`;
  return (
    `it needs ${formatBytes(needed)} (${formatBytes(weights)} of weights, ${formatBytes(cache)} of cache for ${windows}, ` +
    `${formatBytes(compute)} to compute), and ${formatBytes(available)} can be had. ${ADVICE}`
  );
}
