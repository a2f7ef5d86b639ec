import type { Decoder } from '../llama/decoder.ts';

/** The number of passes that are timed with and without a copy. The quickest of each kind counts. */
const TIMED_PASSES = 3;
/** No pass is timed after this time, in ms: where memory is slow, a single copy may take seconds. */
const ENOUGH_MS = 300;

/**
 * Measures how long copying one sequence to another takes, in ms; 0 if there is only one sequence or a copy shares the
 * cells. The next forward
 * pass moves the bytes, so this is the difference between a pass after a copy and a pass without one. Empties the first
 * two sequences.
 */
export async function measureCopy(decoder: Decoder, threads: number): Promise<number> {
  if (decoder.sequences < 2 || decoder.unified) return 0;
  const token = 1;
  const timePass = async (copies: boolean) => {
    await decoder.truncate(0, 0);
    await decoder.decode([{ sequence: 0, at: 0, tokens: [token], logitsAt: [0] }], threads);
    if (copies) await decoder.copy(0, 1, 1);
    const startedAt = performance.now();
    await decoder.decode([{ sequence: 0, at: 1, tokens: [token], logitsAt: [0] }], threads);
    return performance.now() - startedAt;
  };
  const times = { with: Number.POSITIVE_INFINITY, without: Number.POSITIVE_INFINITY };
  const startedAt = performance.now();
  for (let pass = 0; pass < TIMED_PASSES; pass++) {
    if (pass > 0 && performance.now() - startedAt > ENOUGH_MS) break;
    times.without = Math.min(times.without, await timePass(false));
    times.with = Math.min(times.with, await timePass(true));
  }
  for (const sequence of [0, 1]) await decoder.truncate(sequence, 0);
  return Math.max(0, times.with - times.without);
}
