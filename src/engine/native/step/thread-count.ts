import { ownCpuMs } from '../../node/cpu-clock.ts';
import type { Decoder } from '../llama/decoder.ts';

/** A larger number of threads is only chosen if it is faster by this factor: other programs need cores, too. */
const WORTH = 1.05;
/**
 * The most passes for each number of threads, and the most time for them in ms. The quickest pass counts: other
 * programs may disturb one.
 */
const TIMED = { passes: 3, ms: 300 };
/** The number of tokens in a pass that is timed as a part of a prompt. */
const PROMPT_TOKENS = 64;
/**
 * A pass was disturbed by other programs if it took at least `ms` and had fewer cores than threads, by at least
 * `cores`.
 */
const DISTURBED = { ms: 20, cores: 0.4 };

/** If one thread computes a pass in less time than this, in ms, starting a second thread takes too long. */
const TOO_SHORT_MS = 2;

/** The numbers of threads to compute with. */
export interface ThreadCounts {
  /** The number for a pass with only tokens of replies. */
  reply: number;
  /** The number for a pass with a part of a prompt. */
  prompt: number;
}

/** The numbers of threads, with the reason in words. */
export interface ThreadChoice extends ThreadCounts {
  reason: string;
}

/** The time of a pass with a number of threads, in ms, and the average number of cores that it had. */
export interface ThreadTiming {
  threads: number;
  ms: number;
  cores: number;
}

/**
 * Chooses the number of threads by the time of a pass with each number; the largest number comes first. If other
 * programs disturbed the pass with the largest number, that number is chosen, and the governor reduces it later; unless
 * the model is very small.
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
 * Measures the best numbers of threads. Times one token of a reply with all usable cores, then with half of them, and
 * so on until that is slower: with small models, starting a thread takes longer than it saves. If fewer threads are
 * better for replies, a part of a prompt is timed too. If all cores are best for replies, they are for prompts, which
 * have more to compute. Throws if a pass fails.
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

/** Returns the numbers of threads to try: all cores, half of them, and so on down to one. */
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
  const tokens = Array.from({ length: Math.min(count, decoder.batchSize, decoder.contextLength) }, () => 1);
  const start = { at: performance.now(), cpu: ownCpuMs() };
  await decoder.decode([{ sequence: 0, at: 0, tokens, logitsAt: [tokens.length - 1] }], threads);
  const ms = performance.now() - start.at;
  return { threads, ms, cores: (ownCpuMs() - start.cpu) / ms };
}
