import { sum } from '../../../utils/sum.ts';
import { nextTurn } from '../../node/next-turn.ts';
import type { AdapterSet } from '../llama/adapters.ts';
import type { Decoder, Part } from '../llama/decoder.ts';
import { cutRun, type MicroBatch, type PassShape, planRuns } from '../llama/micro-batches.ts';
import { createGovernedThreads } from './governed-threads.ts';
import { planGuesses } from './guess-plan.ts';
import { APART, promptBudget, promptTokenTime, TOGETHER } from './pace.ts';
import type { PassTimes } from './pass-times.ts';
import type { StepDriver } from './step-driver.ts';
import { planStep } from './step-plan.ts';
import type { ThreadCounts } from './thread-count.ts';

/** A pass with more tokens than this takes the threads for prompts, a smaller pass those for replies. */
const MANY_TOKENS = 32;
/** A pass that is expected to take less time, in ms, is computed while the event loop waits. */
const BRIEF_MS = 20;
/** The CPU time is read once in this many brief passes: a reading takes up to 0.05 ms. */
const BRIEF_WATCHED = 8;
/** The share of a batch that is left for padding if several prompts wait. */
const PADDING = 1 / 8;

/** The driver of one context, with the measurements that other modules use. */
export interface Driver extends StepDriver {
  /** The time to evaluate one prompt token, in ms; null before that was measured. */
  readonly promptTokenMs: number | null;
  /** The number of threads for a pass with only tokens of replies. */
  readonly replyThreads: number;
}

/** How a driver plans passes. */
export interface DriverOptions {
  /** True on a CPU, where the number of threads follows the free cores. */
  governed: boolean;
  /** Returns the time of a micro-batch, in any unit, by which the parts of a pass are arranged. */
  batchMs: (batch: MicroBatch) => number;
  /** Returns the present, in ms; by default the process's own clock. */
  clock?: () => number;
}

/**
 * Plans the steps by measured times, and runs their forward passes. Each pass has the number of threads that is best
 * for its size, or fewer if other programs use cores.
 */
export function createDriver(
  decoder: Decoder,
  counts: ThreadCounts,
  { governed, batchMs, clock = () => performance.now() }: DriverOptions,
  times: PassTimes,
): Driver {
  const { batchSize, unified } = decoder;
  const pace = unified ? TOGETHER : APART;
  /** A pass of many tokens takes a GPU hardly longer than one of few, so prompts of unequal lengths are padded to share one. */
  const pads = !governed && !unified;
  const most = Math.max(counts.reply, counts.prompt);
  let promptTokenMs: number | null = null;
  const governor = governed ? createGovernedThreads(most) : undefined;
  let briefPasses = 0;
  let planned = { prompts: 0, repliesMs: 0 };

  const atMost = (wanted: number) => Math.min(wanted, governor?.most ?? wanted);

  /** Returns the expected time of a pass with `tokens` tokens in `parts` parts, in ms; infinite if no time is known. */
  const expectedMs = (parts: number, tokens: number, isLong: boolean) => {
    if (isLong) return tokens * (promptTokenMs ?? Number.POSITIVE_INFINITY);
    if (times.lines.empty && times.rows.empty) return Number.POSITIVE_INFINITY;
    return times.of({ sequences: parts, width: Math.ceil(tokens / parts) });
  };

  const compute = async (parts: Part[], signal: AbortSignal, adapters: AdapterSet) => {
    const tokens = sum(parts.map((part) => part.tokens.length));
    const isLong = tokens > MANY_TOKENS;
    await decoder.reserve(Math.max(...parts.map(({ at, tokens }) => at + tokens.length)));
    const expected = expectedMs(parts.length, tokens, isLong);
    const isBrief = expected < BRIEF_MS && !parts.some(({ rows }) => rows);
    await governor?.before(expected, isLong);
    // The event loop stands still in a brief pass on the CPU, so messages have their turn before it.
    if (isBrief && governor) await nextTurn();
    const watched = isBrief && briefPasses++ % BRIEF_WATCHED > 0 ? undefined : governor;
    const threads = atMost(isLong ? counts.prompt : counts.reply);
    const start = { wall: clock(), cpu: watched?.ownCpuMs() ?? 0 };
    let batches: MicroBatch[] = [parts.length > 1 ? { sequences: tokens, width: 1 } : { sequences: 1, width: tokens }];
    const arrange = (shape: PassShape) => {
      const runs = planRuns(pads ? shape : { ...shape, padding: undefined }, batchMs);
      batches = runs.flatMap(({ from, to, width = 1 }) =>
        cutRun(shape.widths.slice(from, to).map((own) => Math.max(width, own))),
      );
      return runs;
    };
    const options = { arrange: parts.length > 1 && !unified ? arrange : undefined, signal, adapters, isBrief };
    const places = await decoder.decode(parts, threads, options);
    const now = clock();
    const wallMs = now - start.wall;
    const replies = parts.filter(({ logitsAt }) => logitsAt.length > 0).length;
    times.note({ tokens, replies, batches, ms: wallMs });
    const prompts = Math.min(planned.prompts, tokens);
    // A part with rows has a pass of its own in the step. In one cache, each token takes as long as another.
    const repliesMs = parts.some(({ rows }) => rows) ? 0 : planned.repliesMs;
    const promptsMs = unified ? (wallMs * prompts) / tokens : wallMs - repliesMs;
    promptTokenMs = promptTokenTime(promptTokenMs, prompts, promptsMs);
    watched?.after({ threads, wallMs, cpuMs: watched.ownCpuMs() - start.cpu });
    return places;
  };

  return {
    plan(demands, repliesElsewhere) {
      const waiting = demands.filter(({ prompt }) => prompt > 0).length;
      const writing = demands.length - waiting;
      const repliesMs = writing === 0 ? 0 : times.rows.of(writing);
      const pressure = { tokenMs: promptTokenMs, repliesMs, waiting, writing: writing + repliesElsewhere };
      const budget = promptBudget(pressure, batchSize, pace);
      const now = clock();
      const repliesWait = repliesElsewhere > 0;
      const forPrompts = pads && waiting > 1 ? Math.floor(batchSize * (1 - PADDING)) : batchSize;
      const grants = planStep(demands, { batchSize: forPrompts, promptBudget: budget, now, repliesWait });
      const prompts = sum(grants);
      const guesses = planGuesses(demands, {
        room: batchSize - prompts,
        readsPrompt: prompts > 0,
        // On a GPU, llama.cpp makes its graph anew whenever the shape of a pass changes. On an H200 that takes 3 ms in each of
        // two passes of 2 ms: guesses for 4 and 8 replies gained nothing.
        onlyAlone: !governed,
        ragged: unified,
        timeOf: times.of,
      });
      planned = { prompts, repliesMs: guesses?.ms ?? repliesMs };
      return grants.map((granted, index) => granted + (guesses?.added[index] ?? 0));
    },
    decode: compute,
    hold: decoder.hold,
    get promptTokenMs() {
      return promptTokenMs;
    },
    get replyThreads() {
      return atMost(counts.reply);
    },
  };
}
