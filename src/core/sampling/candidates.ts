import { descendingOrder } from './order.ts';

/** Tokens and their logits as an engine gives them: the whole vocabulary or its best N, in any order. */
export interface TokenLogits {
  tokens: ArrayLike<number>;
  logits: ArrayLike<number>;
}

/**
 * The tokens that can still come next, as the samplers change them in place: llama.cpp's `llama_token_data_array`.
 * Only the first `size` entries of the arrays count. Numbers are 32-bit floats wherever llama.cpp has them.
 */
export interface Candidates {
  size: number;
  tokens: Int32Array;
  logits: Float32Array;
  /** What the latest softmax gave. */
  probabilities: Float32Array;
  /** Whether the logits descend. Samplers keep the order that llama.cpp leaves, since the final draw depends on it. */
  sorted: boolean;
}

const { exp, fround } = Math;

/** Copies what an engine gave into `scratch`, if it is big enough, so that no token costs an allocation. */
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

/** Keeps the candidates at these indices, in this order. */
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
 * Puts the candidates in descending order of their logits and keeps the first `keep`.
 * `llama_token_data_array_partial_sort_inplace`, but for equal logits: ours stay in order, llama.cpp's need not.
 */
export function sortByLogit(candidates: Candidates, keep = candidates.size): void {
  if (!candidates.sorted) reorder(candidates, descendingOrder(candidates.logits.subarray(0, candidates.size), keep));
  candidates.size = Math.min(candidates.size, keep);
  candidates.sorted = true;
}

/** Index of the highest logit, the first of several. There must be a candidate. */
export function indexOfHighest({ logits, size, sorted }: Candidates): number {
  let highest = 0;
  if (sorted) return highest;
  for (let index = 1; index < size; index++) {
    if ((logits[index] ?? 0) > (logits[highest] ?? 0)) highest = index;
  }
  return highest;
}

/** Fills in e^(logit - highest) and gives their sum in 64 bits, which llama.cpp's final draw takes. */
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

/** Fills in the probabilities. `llama_sampler_softmax_impl`, whose sum has 32 bits. */
export function softmax(candidates: Candidates): void {
  const { probabilities, size } = candidates;
  fillWeights(candidates);
  let sum = 0;
  for (let index = 0; index < size; index++) sum = fround(sum + (probabilities[index] ?? 0));
  for (let index = 0; index < size; index++) probabilities[index] = (probabilities[index] ?? 0) / sum;
}
