import { WASM_MEMORY_BYTES } from '../../contract/engine-info.ts';
import type { MachineSpeed } from '../../contract/machine-speed.ts';
import { starterBytes } from '../../contract/models/find-starter.ts';
import { type Fit, memoryFit, neededMemory } from '../../contract/models/needed-memory.ts';
import type { Starter } from '../../contract/models/starter.ts';
import { STARTERS } from '../../contract/models/starters.ts';
import type { MemoryForModels } from '../../contract/residency.ts';

/** The memory and the speed of a starter model on a machine. */
export interface StarterEstimate {
  starter: Starter;
  /** The memory that the model takes, in bytes. */
  memory: number;
  fit: Fit;
  /** Tokens per second that the model writes for one chat; null if nothing was measured, or if it writes no text. */
  speed: { low: number; high: number } | null;
  /** True for the one model that is recommended on this machine. */
  best: boolean;
}

/**
 * The bytes of weights that an engine reads per second, as multiples of the bandwidth of one thread that copies. The
 * measurements behind this range are in docs/models.md.
 */
const READ_BY_ONE_THREAD = { low: 0.3, high: 1 };
/** More threads than this hardly read faster: the memory is busy. */
const MOST_THREADS = 4;
/** WebAssembly reads its weights slower than native code, since it multiplies slower. */
const WASM_SHARE = { low: 0.05, high: 0.2 };

/** A recommended model leaves the rest of the free memory to other programs, and to errors of the estimate. */
const MOST_OF_MEMORY = 0.75;

/** A model that writes slower than this, in tokens per second, is not recommended: people read faster. */
const READING_SPEED = 5;

/**
 * Estimates all starter models on this machine: the recommended model first, then the others that fit, then those that
 * do not. The recommended model is the largest chat model that fits into three quarters of the free memory
 * and writes as fast as people read.
 */
export function estimateStarters(machine: MachineSpeed | null, memory: MemoryForModels | undefined): StarterEstimate[] {
  const estimates = STARTERS.map((starter) => estimateStarter(starter, machine, memory));
  const best = bestOf(estimates, memory);
  const place = ({ starter, fit }: StarterEstimate) => (starter === best?.starter ? 0 : fit === 'too large' ? 2 : 1);
  return estimates
    .map((estimate) => ({ ...estimate, best: estimate === best }))
    .sort((one, other) => place(one) - place(other));
}

function estimateStarter(
  starter: Starter,
  machine: MachineSpeed | null,
  available: MemoryForModels | undefined,
): StarterEstimate {
  const { projectorSize = 0, kind } = starter;
  const onWasm = (projectorSize > 0 ? machine?.mediaRuntime : machine?.runtime) === 'wasm';
  // WebAssembly holds the projector twice.
  const memory = Math.ceil(neededMemory(starterBytes(starter) + (onWasm ? projectorSize : 0)));
  const fit = onWasm && memory > WASM_MEMORY_BYTES ? 'too large' : memoryFit(memory, available);
  const writes = kind !== 'embedding' && kind !== 'rerank';
  return { starter, memory, fit, speed: machine && writes ? speedOf(starter, machine, onWasm) : null, best: false };
}

function speedOf({ size, activeShare = 1 }: Starter, { bandwidth, threads }: MachineSpeed, onWasm: boolean) {
  const perSecond = (bandwidth * Math.min(threads, MOST_THREADS)) / (size * activeShare);
  const share = onWasm ? WASM_SHARE : READ_BY_ONE_THREAD;
  return { low: round(perSecond * share.low), high: round(perSecond * share.high) };
}

/** Rounds to two digits: the estimate is not more precise. */
function round(value: number): number {
  return Number(value.toPrecision(value < 1 ? 1 : 2));
}

function bestOf(estimates: StarterEstimate[], available: MemoryForModels | undefined): StarterEstimate | undefined {
  const room = MOST_OF_MEMORY * (available?.available ?? 0);
  const chats = estimates.filter(({ starter, memory }) => starter.kind === 'chat' && memory <= room);
  const fluent = chats.filter(({ speed }) => speed === null || (speed.low + speed.high) / 2 >= READING_SPEED);
  const [smallest] = chats;
  return fluent.at(-1) ?? smallest;
}
