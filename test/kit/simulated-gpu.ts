import type { Decoder } from '../../src/engine/native/llama/decoder.ts';
import { cutRun, type MicroBatch } from '../../src/engine/native/llama/micro-batches.ts';
import { fillerPart, orderParts, type Part } from '../../src/engine/native/llama/pass-order.ts';
import { sum } from '../../src/utils/sum.ts';

/** How long a GPU takes for the micro-batches of a model, and the host for its part, in ms. */
export interface SimulatedGpu {
  name: string;
  /** The time to read all weights once. */
  readMs: number;
  /** The additional time for each of the first 8 tokens, whose kernels are slower than those for more tokens. */
  rowMs: number;
  /** The time to compute one token of many. */
  tokenMs: number;
  /** The time to start the kernels of a micro-batch one by one, and with a CUDA graph. */
  launchMs: { single: number; graph: number };
  /** The time to build llama.cpp's graph, which is reused if the micro-batch before was alike. */
  buildMs: number;
  /** The additional time of the first micro-batch of a shape: kernels are loaded, buffers are allocated. */
  coldMs: number;
  /** The time of the host for each step, and for each drawn token. */
  stepMs: number;
  drawMs: number;
}

/**
 * Two models on an H100. With these times, the steps take as long as in the benchmark of 2026-11-23: 2.3, 3.4 and 13.4 ms
 * with 1, 4 and 16 replies of the 0.5B, and 4.7, 7.4 and 30.3 ms of the 7B, if 16 replies are four micro-batches of 4.
 */
export const H100: Record<'0.5B' | '7B', SimulatedGpu> = {
  '0.5B': {
    name: '0.5B in Q8_0',
    readMs: 0.55,
    rowMs: 0.005,
    tokenMs: 0.005,
    launchMs: { single: 1.1, graph: 1 },
    buildMs: 0.2,
    coldMs: 12,
    stepMs: 0.4,
    drawMs: 0.37,
  },
  '7B': {
    name: '7B in Q4_K',
    readMs: 2.6,
    rowMs: 0.5,
    tokenMs: 0.1,
    launchMs: { single: 1, graph: 0.9 },
    buildMs: 0.25,
    coldMs: 15,
    stepMs: 0.4,
    drawMs: 0.37,
  },
};

/** The most tokens that are computed by the kernels for few tokens. */
const FEW = 8;

/** A decoder whose passes take time on a clock of its own, in ms. */
export interface SimulatedDecoder {
  decoder: Decoder;
  clock: () => number;
  /** Adds to the clock. */
  spend(ms: number): void;
  /** The micro-batches of all passes so far. */
  readonly passes: MicroBatch[][];
}

/**
 * Makes a decoder without a model. It orders the parts of a pass, fills gaps and cuts micro-batches as llama.cpp's context
 * does, and computes nothing.
 */
export function simulateDecoder(gpu: SimulatedGpu, sequences: number, batchSize: number): SimulatedDecoder {
  let now = 0;
  let before = { key: '', repeated: 0 };
  const warm = new Set<string>();
  const passes: MicroBatch[][] = [];

  const timeOf = ({ sequences, width }: MicroBatch, first: number) => {
    const shape = `${sequences}x${width}`;
    // The graph has the addresses of its sequences.
    const key = `${shape} from ${first}`;
    before = { key, repeated: before.key === key ? before.repeated + 1 : 0 };
    const cold = warm.has(shape) ? 0 : gpu.coldMs;
    warm.add(shape);
    const tokens = sequences * width;
    const compute = Math.max(gpu.readMs + Math.min(tokens, FEW) * gpu.rowMs, tokens * gpu.tokenMs);
    const launch = before.repeated > 1 ? gpu.launchMs.graph : gpu.launchMs.single;
    return compute + launch + cold + (before.repeated > 0 ? 0 : gpu.buildMs);
  };
  const unused = () => {
    throw new Error('the simulation does not need this');
  };

  const spend = (ms: number) => {
    now += ms;
  };

  const decoder: Decoder = {
    room: 1_000_000,
    contextLength: 1_000_000,
    batchSize,
    sequences,
    unified: false,
    cacheLength: 1_000_000,
    spare: () => Number.POSITIVE_INFINITY,
    expand: async () => false,
    takesBack: Number.POSITIVE_INFINITY,
    outputs: Math.floor(batchSize / sequences),
    hold: () => () => undefined,
    logitsAt: unused,
    highestAt: unused,
    async decode(parts, _threads, { arrange } = {}) {
      const additions = {
        spare: batchSize - sum(parts.map(({ tokens }) => tokens.length)),
        fillerFor: (sequence: number): Part => fillerPart(sequence, 0),
        mostOf: () => batchSize,
      };
      const order = arrange ? orderParts(parts, sequences, additions, arrange).order : parts;
      const runs = ascendingRuns(order).map((run) => ({
        first: run[0]?.sequence ?? 0,
        batches: cutRun(run.map(({ tokens }) => tokens.length)),
      }));
      passes.push(runs.flatMap(({ batches }) => batches));
      spend(sum(runs.flatMap(({ first, batches }) => batches.map((batch) => timeOf(batch, first)))));
      spend(gpu.stepMs);
      return parts.map(({ logitsAt }) => [...logitsAt]);
    },
    truncate: async () => 0,
    reaches: async () => true,
    copy: unused,
    settled: () => true,
    save: unused,
    load: unused,
    lacks: () => false,
    reserve: async () => undefined,
  };
  return { decoder, clock: () => now, spend, passes };
}

/** Splits the parts of a pass as llama.cpp does: a run has consecutive sequences in ascending order. */
function ascendingRuns(parts: readonly Part[]): Part[][] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run && run.at(-1)?.sequence === part.sequence - 1) run.push(part);
    else runs.push([part]);
  }
  return runs;
}
