import { sum } from '../../core/sum.ts';
import { type CpuClock, ownCpuMs, readCpuClock } from '../node/cpu-clock.ts';
import type { Decoder, Part } from './decoder.ts';
import type { Passes } from './draft-length.ts';
import { afterStep, promptBudget, UNKNOWN_PACE } from './pace.ts';
import type { StepDriver } from './step-loop.ts';
import { planStep } from './step-plan.ts';
import type { ThreadCounts } from './thread-count.ts';
import { afterLook, afterPass, type ObservedPass, startGovernor, wantsToLook } from './thread-governor.ts';

/** A step with more tokens than this is like a prompt, one with fewer like a reply. */
const MANY_TOKENS = 32;

export interface Driver extends StepDriver {
  /** The time that evaluating a token of a prompt takes, in ms; null before that was measured. */
  readonly promptTokenMs: number | null;
  /** The threads that a pass with the tokens of replies has now. */
  readonly replyThreads: number;
}

/**
 * Runs the steps: plans them by the measured pace, and computes each with the threads that are best for its size and for which there
 * are cores.
 *
 * @param governed whether other programs may take cores away; on a GPU they do not matter
 */
export function createDriver(decoder: Decoder, counts: ThreadCounts, governed: boolean, passes: Passes): Driver {
  const { batchSize } = decoder;
  const most = Math.max(counts.reply, counts.prompt);
  let pace = UNKNOWN_PACE;
  let governor = startGovernor(most, performance.now());
  let seen: { at: number; clock: CpuClock } | undefined;
  let planned = { prompts: 0, replies: 0 };

  const judge = (pass: ObservedPass, now: number) => {
    const { threads } = governor;
    governor = afterPass(governor, pass, now);
    if (governor.threads < threads) seen = { at: now, clock: readCpuClock() };
  };

  /** Before a pass, so that the first one after a pause has the cores that became free meanwhile. */
  const look = (now: number) => {
    if (!seen || !wantsToLook(governor, most, now)) return;
    const clock = readCpuClock();
    const free = (clock.idle - seen.clock.idle + clock.own - seen.clock.own) / (now - seen.at);
    seen = { at: now, clock };
    governor = afterLook(governor, free, most, now);
  };

  const atMost = (wanted: number) => (governed ? Math.min(wanted, governor.threads) : wanted);

  const compute = async (parts: Part[]) => {
    const tokens = sum(parts.map((part) => part.tokens.length));
    if (governed) look(performance.now());
    const threads = atMost(tokens > MANY_TOKENS ? counts.prompt : counts.reply);
    const start = { wall: performance.now(), cpu: governed ? ownCpuMs() : 0 };
    passes.begin(
      parts.map(({ tokens }) => tokens.length),
      parts.filter(({ logitsAt }) => logitsAt.length > 0).length,
    );
    const places = await decoder.decode(parts, threads);
    const now = performance.now();
    const wallMs = now - start.wall;
    passes.end(wallMs);
    pace = afterStep(pace, { ...planned, ms: wallMs });
    if (governed) judge({ threads, wallMs, cpuMs: ownCpuMs() - start.cpu }, now);
    return places;
  };

  return {
    plan(demands) {
      const waiting = demands.filter(({ prompt }) => prompt > 0).length;
      const budget = promptBudget(pace, waiting, demands.length - waiting, batchSize);
      const grants = planStep(demands, { batchSize, promptBudget: budget, now: performance.now() });
      planned = { prompts: sum(grants), replies: sum(demands.map(({ reply }) => reply)) };
      return grants;
    },
    decode: compute,
    hold: decoder.hold,
    get promptTokenMs() {
      return pace.promptTokenMs;
    },
    get replyThreads() {
      return atMost(counts.reply);
    },
  };
}
