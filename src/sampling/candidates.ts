import { descendingOrder } from './order.ts';

/** Tokens and their logits as an engine gives them: the whole vocabulary or its N highest logits, in any order. */
export interface TokenLogits {
  tokens: ArrayLike<number>;
  logits: ArrayLike<number>;
}

/**
 * The tokens that may come next, llama.cpp's `llama_token_data_array`. The samplers change them in place. Only the
 * first `size` entries of the arrays count. Numbers are 32-bit floats wherever llama.cpp has them.
 */
export interface Candidates {
  size: number;
  tokens: Int32Array;
  logits: Float32Array;
  /** The result of the latest softmax or `fillWeights`. */
  probabilities: Float32Array;
  /**
   * True if the logits descend. Samplers leave the same order as llama.cpp does, since the final draw depends on it.
   */
  sorted: boolean;
}

const { exp, fround } = Math;

/**
 * Copies tokens and logits into candidates. Reuses `scratch` if it is large enough, which saves an allocation for each
 * token. Throws a `RangeError` if there are not as many logits as tokens.
 */
export function toCandidates({ tokens, logits }: TokenLogits, scratch?: Candidates): Candidates {
  const size = tokens.length;
  if (logits.length !== size) throw new RangeError(`${size} tokens, but ${logits.length} logits`);
  const candidates = scratch && scratch.tokens.length >= size ? scratch : allocate(size);
  candidates.size = size;
  candidates.tokens.set(tokens);
  candidates.logits.set(logits);
  candidates.sorted = descends(candidates.logits, size);
  return candidates;
}

function allocate(size: number): Candidates {
  return {
    size,
    tokens: new Int32Array(size),
    logits: new Float32Array(size),
    probabilities: new Float32Array(size),
    sorted: false,
  };
}

function descends(logits: Float32Array, size: number): boolean {
  for (let index = 1; index < size; index++) {
    if ((logits[index] ?? 0) > (logits[index - 1] ?? 0)) return false;
  }
  return true;
}

/** Keeps only the candidates at these indices, in this order. */
export function reorder(candidates: Candidates, order: Uint32Array): void {
  const { tokens, logits, probabilities, size } = candidates;
  const before = {
    tokens: tokens.slice(0, size),
    logits: logits.slice(0, size),
    probabilities: probabilities.slice(0, size),
  };
  for (let place = 0; place < order.length; place++) {
    const index = order[place] ?? 0;
    tokens[place] = before.tokens[index] ?? 0;
    logits[place] = before.logits[index] ?? 0;
    probabilities[place] = before.probabilities[index] ?? 0;
  }
  candidates.size = order.length;
}

/**
 * Sorts the candidates by descending logit and keeps the first `keep`. This is llama.cpp's
 * `llama_token_data_array_partial_sort_inplace`, but equal logits keep their order, which llama.cpp doesn't promise.
 */
export function sortByLogit(candidates: Candidates, keep = candidates.size): void {
  if (!candidates.sorted) reorder(candidates, descendingOrder(candidates.logits.subarray(0, candidates.size), keep));
  candidates.size = Math.min(candidates.size, keep);
  candidates.sorted = true;
}

/** Returns the index of the highest logit; of equal ones, the first. There must be at least one candidate. */
export function indexOfHighest({ logits, size, sorted }: Candidates): number {
  let highest = 0;
  if (sorted) return highest;
  for (let index = 1; index < size; index++) {
    if ((logits[index] ?? 0) > (logits[highest] ?? 0)) highest = index;
  }
  return highest;
}

/**
 * Sets each probability to the weight e^(logit - highest). Returns the sum of the weights in 64 bits, which is how
 * llama.cpp's final draw adds them.
 */
export function fillWeights(candidates: Candidates): number {
  const { logits, probabilities, size } = candidates;
  const highest = logits[indexOfHighest(candidates)] ?? 0;
  let sum = 0;
  for (let index = 0; index < size; index++) {
    const weight = fround(exp(fround((logits[index] ?? 0) - highest)));
    probabilities[index] = weight;
    sum += weight;
  }
  return sum;
}

/** Sets the probabilities. This is `llama_sampler_softmax_impl`, which sums in 32 bits. */
export function softmax(candidates: Candidates): void {
  const { probabilities, size } = candidates;
  fillWeights(candidates);
  let sum = 0;
  for (let index = 0; index < size; index++) sum = fround(sum + (probabilities[index] ?? 0));
  for (let index = 0; index < size; index++) probabilities[index] = (probabilities[index] ?? 0) / sum;
}
