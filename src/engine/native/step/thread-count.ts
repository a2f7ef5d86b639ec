import { ownCpuMs } from '../../node/cpu-clock.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { Token } from '../llama/llama.ts';

/** A smaller number of threads is taken where a larger one is not faster by this factor: cores are for others too. */
const WORTH = 1.05;
/** Passes that are timed for each number of threads, in which time in ms; the quickest counts, since others may want the cores as well. */
const TIMED = { passes: 3, ms: 300 };
/** The tokens of a pass that is timed as a part of a prompt. */
const PROMPT_TOKENS = 64;
/** A pass that took at least so long, in ms, and got so much less than its threads' time says what other programs did. */
const DISTURBED = { ms: 20, cores: 0.4 };

/** A pass that one thread computes in less time, in ms, is too short for the start of another. */
const TOO_SHORT_MS = 2;

/** With how many threads to compute. */
export interface ThreadCounts {
  /** A pass with the tokens of replies. */
  reply: number;
  /** A pass with a part of a prompt. */
  prompt: number;
}

/** How many threads to compute with, and in words why. */
export interface ThreadChoice extends ThreadCounts {
  reason: string;
}

/** The time of a pass with a number of threads, in ms, and the number of cores that it really had. */
export interface ThreadTiming {
  threads: number;
  ms: number;
  cores: number;
}

/**
 * Decides between numbers of threads by the time of a pass with each, the largest number first. Where other programs took cores from
 * the largest, that says nothing of the model: it is taken, and the governor takes care of the rest, unless the model is very small.
 */
export function chooseThreads(timings: ThreadTiming[]): { threads: number; reason: string } {
  let [best = { threads: 1, ms: 0, cores: 1 }] = timings;
  const words = timings.map(({ threads, ms }) => `${threads}: ${ms.toFixed(ms < 10 ? 1 : 0)} ms`).join(', ');
  const one = timings.find(({ threads }) => threads === 1);
  if (isDisturbed(best) && !(one && one.ms < TOO_SHORT_MS))
    return { threads: best.threads, reason: `other programs were busy when it was measured (${words})` };
  for (const timing of timings.slice(1)) if (timing.ms < best.ms * WORTH) best = timing;
  return { threads: best.threads, reason: `measured for a token, by threads: ${words}` };
}

function isDisturbed({ threads, ms, cores }: ThreadTiming): boolean {
  return ms >= DISTURBED.ms && cores < threads - DISTURBED.cores;
}

/**
 * Times a token of a reply with all usable cores, then with half of them, and on as long as that is no slower: small models lose
 * more by starting threads than they gain. Where fewer are better, a part of a prompt is timed too; with all cores it is as good for
 * prompts, which have more to compute.
 */
export async function measureThreads(decoder: Decoder, cores: number): Promise<ThreadChoice> {
  try {
    // The first pass also touches the weights for the first time.
    await timePass(decoder, 1, cores);
    const { threads: reply, reason } = chooseThreads(await timeThreads(decoder, 1, cores));
    if (reply === cores) return { reply, prompt: cores, reason };
    const { threads: prompt } = chooseThreads(await timeThreads(decoder, PROMPT_TOKENS, cores));
    return { reply, prompt: Math.max(reply, prompt), reason };
  } finally {
    await decoder.truncate(0, 0);
  }
}

/** The numbers of threads that are worth a try: all cores, half of them, and on to one. */
export function threadLevels(cores: number): number[] {
  const levels: number[] = [];
  for (let threads = cores; threads >= 1; threads = Math.floor(threads / 2)) levels.push(threads);
  return levels;
}

async function timeThreads(decoder: Decoder, tokens: number, cores: number): Promise<ThreadTiming[]> {
  const timings: ThreadTiming[] = [];
  for (const threads of threadLevels(cores)) {
    const timing = await quickestPass(decoder, tokens, threads);
    const slower = timing.ms > WORTH * (timings.at(-1)?.ms ?? Number.POSITIVE_INFINITY);
    timings.push(timing);
    if (slower) break;
    if (isDisturbed(timing)) return [...timings, await quickestPass(decoder, tokens, 1)];
  }
  return timings;
}

async function quickestPass(decoder: Decoder, tokens: number, threads: number): Promise<ThreadTiming> {
  const end = performance.now() + TIMED.ms;
  let quickest = await timePass(decoder, tokens, threads);
  for (let pass = 1; pass < TIMED.passes && performance.now() < end; pass++) {
    const timing = await timePass(decoder, tokens, threads);
    if (timing.ms < quickest.ms) quickest = timing;
  }
  return quickest;
}

async function timePass(decoder: Decoder, count: number, threads: number): Promise<ThreadTiming> {
  await decoder.truncate(0, 0);
  const tokens = Array.from({ length: Math.min(count, decoder.batchSize, decoder.contextLength) }, () => 1 as Token);
  const start = { at: performance.now(), cpu: ownCpuMs() };
  await decoder.decode([{ sequence: 0, at: 0, tokens, logitsAt: [tokens.length - 1] }], threads);
  const ms = performance.now() - start.at;
  return { threads, ms, cores: (ownCpuMs() - start.cpu) / ms };
}
