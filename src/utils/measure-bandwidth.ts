/** Larger than the caches of most CPUs, so that the copy reads memory. */
const BYTES = 32 * 2 ** 20;
/** A piece is copied without a pause. It takes some ms, and a few browsers have clocks of 1 ms. */
const PIECE_BYTES = 16 * 2 ** 20;
const ROUNDS = 3;

/**
 * Measures how many bytes one thread reads and writes per second when it copies memory: the best of three copies.
 * Takes about 50 ms, with pauses, and 64 MiB of memory. Returns null if the clock is too coarse.
 */
export async function measureBandwidth(): Promise<number | null> {
  const from = new Uint8Array(BYTES).fill(1);
  const to = new Uint8Array(BYTES);
  let bestMs = Number.POSITIVE_INFINITY;
  // The first round only maps the pages of `to`.
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = await copyMs(from, to);
    if (round > 0) bestMs = Math.min(bestMs, ms);
  }
  return bestMs > 0 ? (2 * BYTES * 1000) / bestMs : null;
}

/** Copies in pieces, with a pause after each, so that other work goes on. Returns the time of the copying alone. */
async function copyMs(from: Uint8Array, to: Uint8Array): Promise<number> {
  let ms = 0;
  for (let start = 0; start < BYTES; start += PIECE_BYTES) {
    const piece = from.subarray(start, start + PIECE_BYTES);
    const before = performance.now();
    to.set(piece, start);
    ms += performance.now() - before;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
  return ms;
}
