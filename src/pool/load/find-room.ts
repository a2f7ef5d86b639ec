import { WASM_MEMORY_BYTES } from '../../contract/engine-info.ts';
import { generousLengths } from '../../engine/context-length.ts';
import type { ModelShape, ModelSource } from '../../engine/engine.ts';
import { bytesReadPerToken, estimateMemory, idleExpertBytes, type MemoryPlan } from '../../engine/memory-estimate.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { sizeLabel } from '../../utils/size-label.ts';
import type { Claim, Shortage } from '../residency/claim.ts';

/** Tells the client what helps against a shortage of memory. */
export const ADVICE = 'A shorter --ctx-len, fewer --slots or a smaller quantization of the model needs less.';

/** The bits per weight of the smallest quantizations. */
const LEAST_BITS = 1.6;

/** A way to load a model. */
export interface LoadWay {
  plan: MemoryPlan;
  /** The bytes that the plan takes, with all weights. */
  total: number;
  /** The bytes that have to be available. */
  needed: number;
  /** True if experts of the model are read from the file when a token uses them. */
  fromFile: boolean;
}

/** The way that fits, or the shortage as a text for the client. */
export type Room = LoadWay | { shortage: string };

/**
 * Returns the ways to load a model by some plans, in the order in which they are tried. A mixture of experts that does
 * not fit a CPU's memory needs room for all but the experts that a token leaves out: the file is mapped into memory, and
 * the system keeps as much of it as there is room for.
 */
export function waysToLoad(shape: ModelShape, plans: MemoryPlan[]): LoadWay[] {
  const whole = plans.map((plan) => {
    const { total } = estimateMemory(shape, plan);
    return { plan, total, needed: total, fromFile: false };
  });
  const idle = idleExpertBytes(shape);
  const mapped = idle > 0 ? whole.filter(({ plan }) => plan.backend === 'cpu') : [];
  return [...whole, ...mapped.map((way) => ({ ...way, needed: way.total - idle, fromFile: true }))];
}

/**
 * Tries the plans in order and claims room for the first way that fits. Memory on a GPU is not claimed, because only the
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
  for (const way of waysToLoad(shape, plans)) {
    const { plan, needed } = way;
    const lack = wasmLack(plan, needed) ?? (await claim(machineBytes(plan, needed)));
    if (lack === null) return way;
    shortage = describeShortage(shape, way, lack);
  }
  return { shortage };
}

/** Returns the first way that fits this many bytes without the room of other models, or the shortage. */
export function roomIn(shape: ModelShape, plans: MemoryPlan[], available: number): Room {
  let shortage = '';
  for (const way of waysToLoad(shape, plans)) {
    const { plan, needed } = way;
    const lack = wasmLack(plan, needed) ?? (needed > available ? { needed, available } : null);
    if (lack === null) return way;
    shortage = describeShortage(shape, way, lack);
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

function describeShortage(
  shape: ModelShape,
  { plan, fromFile }: LoadWay,
  { needed, available, pinned }: Shortage,
): string {
  if (pinned) return 'the models that stay in memory, those of --preload, leave no room for it.';
  const { weights, cache, compute } = estimateMemory(shape, plan);
  const { slots, threads, contextLength } = plan;
  const windows = `${slots * threads} ${slots * threads === 1 ? 'slot' : 'slots'} of ${contextLength} tokens`;
  const resident = fromFile ? weights - idleExpertBytes(shape) : weights;
  const sum =
    `it needs ${formatBytes(needed)} (${formatBytes(resident)} of weights${fromFile ? ' that each token reads' : ''}, ` +
    `${formatBytes(cache)} of cache for ${windows}, ${formatBytes(compute)} to compute), ` +
    `and ${formatBytes(available)} can be had.`;
  if (plan.backend !== 'cpu' || weights <= available) return `${sum} ${ADVICE}`;
  const reads = `Each token reads ${formatBytes(bytesReadPerToken(shape))} of weights, which is too slow from a disk.`;
  return `${sum} ${reads}${describeFitting(shape, available - cache - compute)}`;
}

/** Returns a sentence about the weights that would fit this many bytes, in words that help to choose a file. */
function describeFitting({ fileBytes, parameterCount }: ModelShape, bytes: number): string {
  if (bytes <= 0) return '';
  const weights = ` Weights of up to ${formatBytes(bytes)} would fit`;
  if (!parameterCount) return `${weights}: a smaller quantization or a smaller model.`;
  const bits = (8 * bytes) / parameterCount;
  const same = `a model of up to ${sizeLabel((parameterCount * bytes) / fileBytes)} parameters in this quantization`;
  return bits < LEAST_BITS
    ? `${weights}: ${same}.`
    : `${weights}: this model with at most ${bits.toFixed(1)} bits per weight, or ${same}.`;
}
