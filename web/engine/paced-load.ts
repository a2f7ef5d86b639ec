import { LEAST_GPU_BATCH } from './gpu-plan.ts';
import type { ReadTime } from './read-time.ts';

/**
 * The longest forward pass of a prompt, in ms: an abort waits for it. Cards want large batches: with 128 tokens, as many as
 * are read in 250 ms, a 3B on an H200 reads 393 tokens a second, with 512 tokens 610.
 */
const PASS_MS = 1000;

/** The tokens of the first prompt. It compiles the kernels, so its time says little. */
const FIRST_TOKENS = 64;
/** The tokens of the prompt that is measured. */
const MEASURED_TOKENS = 256;
/** If the first prompt takes longer than this, in ms, the measured one is not longer than the first. */
const SLOW_MS = 1000;

/**
 * Loads an engine with a batch of `most` tokens, measures with `read` how fast it reads a prompt, and loads it once more
 * with a smaller batch if a pass would take longer than `PASS_MS`: llama.cpp takes the size of its batch when it loads a
 * model. Throws what `load` and `read` throw; no engine is left then.
 */
export async function loadPaced<Engine extends AsyncDisposable>(
  most: number,
  load: (batchSize: number) => Promise<Engine>,
  read: (engine: Engine, tokens: number) => Promise<ReadTime>,
): Promise<Engine> {
  const engine = await load(most);
  let batchSize = most;
  try {
    batchSize = await measureBatch((tokens) => read(engine, tokens), most);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
  if (batchSize === most) return engine;
  await engine[Symbol.asyncDispose]();
  return load(batchSize);
}

async function measureBatch(read: (tokens: number) => Promise<ReadTime>, most: number): Promise<number> {
  const first = await read(FIRST_TOKENS);
  if (batchFor(first, most) === most) return most;
  return batchFor(await read(first.ms > SLOW_MS ? FIRST_TOKENS : MEASURED_TOKENS), most);
}

/** Returns the largest batch that is read within `PASS_MS`: `most`, half of it, and so on. */
export function batchFor({ tokens, ms }: ReadTime, most: number): number {
  let batch = most;
  while (batch > LEAST_GPU_BATCH && (batch * ms) / tokens > PASS_MS) batch /= 2;
  return batch;
}
