import type { Chunk } from './chunks.ts';

/** The characters of a token. A prompt with shorter tokens is read in a few passes without a word of its progress. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * True if a prompt may take more than one forward pass, so that its progress is to be told. For one pass there is nothing to tell, and it
 * would cost time: llama-server then has two results before the first token, and wllama computes a token for each result that it hands out,
 * so the first token would come when two more are computed.
 *
 * @param characters those that the cache does not have
 * @param batchSize tokens in one forward pass
 */
export function mayTakePasses(characters: number, batchSize: number): boolean {
  return characters > CHARACTERS_PER_TOKEN * batchSize;
}

/** Returns the first chunk of a reply with the progress of its prompt, which is read by then. */
export function withProgress(chunk: Chunk): Chunk {
  const { timings } = chunk;
  if (!timings || chunk.prompt_progress) return chunk;
  const { cache_n: cache, prompt_n: read, prompt_ms: time_ms } = timings;
  const total = cache + read;
  return { ...chunk, prompt_progress: { total, cache, processed: total, time_ms } };
}
