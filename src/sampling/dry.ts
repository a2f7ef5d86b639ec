import type { Sampling } from '../contract/sampling.ts';
import type { Breakers } from './breakers.ts';
import type { Candidates } from './candidates.ts';

const { fround, log, min } = Math;

type Dry = Pick<Sampling, 'dryMultiplier' | 'dryBase' | 'dryAllowedLength' | 'dryPenaltyLastN'>;

/** The logarithm of the largest 32-bit float, as llama.cpp has it. */
const LOG_OF_LARGEST = fround(88.7228391);

/** Returns the number of latest tokens in which DRY looks for repetitions; 0 if it is off. */
export function dryWindow({ dryMultiplier, dryPenaltyLastN }: Dry, contextLength: number): number {
  if (dryMultiplier === 0) return 0;
  return dryPenaltyLastN === -1 ? contextLength : min(dryPenaltyLastN, contextLength);
}

/**
 * Lowers each token that would lengthen a repetition: a text of at least `dryAllowedLength` tokens that stands at the
 * end and occurred before among the last `dryPenaltyLastN` tokens (-1: among all). A repetition does not reach across a
 * breaker. This is `llama_sampler_dry_apply`.
 *
 * If an engine gives only the N highest logits, the result is exact as long as the logits of the tokens to choose from
 * stay above the N-th raw logit.
 */
export function penalizeRepetitions(
  candidates: Candidates,
  dry: Dry,
  recentTokens: ArrayLike<number>,
  breakers: Breakers,
): void {
  const { dryMultiplier, dryPenaltyLastN, dryAllowedLength } = dry;
  if (dryMultiplier === 0 || dryPenaltyLastN === 0) return;
  const latest = latestFirst(recentTokens, dryPenaltyLastN);
  if (latest.length <= dryAllowedLength) return;
  const longest = lengthSinceBreaker(latest, breakers);
  if (longest < dryAllowedLength) return;
  const lengths = repetitionsBefore(latest, longest, dryAllowedLength);
  if (lengths.size > 0) lower(candidates, dry, lengths, breakers);
}

/** Returns the last `window` tokens, the latest first; all tokens for -1. */
function latestFirst(tokens: ArrayLike<number>, window: number): Int32Array {
  const size = window < 0 ? tokens.length : min(window, tokens.length);
  return Int32Array.from({ length: size }, (_, back) => tokens[tokens.length - 1 - back] ?? 0);
}

/** Returns the number of tokens since the latest breaker; all tokens if there is none. */
function lengthSinceBreaker(latest: Int32Array, breakers: Breakers): number {
  for (let back = 0; back < latest.length; back++) {
    const tails = breakers.get(latest[back] ?? 0) ?? [];
    let longest = -1;
    for (const tail of tails) {
      if (tail.length > longest && tail.length <= back && follows(latest, back, tail)) longest = tail.length;
    }
    if (longest >= 0) return back - longest;
  }
  return latest.length;
}

function follows(latest: Int32Array, back: number, tail: readonly number[]): boolean {
  return tail.every((token, offset) => latest[back - 1 - offset] === token);
}

/**
 * Returns, for each token that followed an earlier occurrence of the last tokens, the number of these tokens: at least
 * `least`, at most `most`.
 */
function repetitionsBefore(latest: Int32Array, most: number, least: number): Map<number, number> {
  const lengths = new Map<number, number>();
  const matches = matchLengths(latest);
  for (let back = 1; back < latest.length; back++) {
    const length = min(matches[back] ?? 0, most);
    const token = latest[back - 1] ?? 0;
    if (length >= least && length > (lengths.get(token) ?? -1)) lengths.set(token, length);
  }
  return lengths;
}

/**
 * Returns for each place how many tokens from there on equal those from the first place on. This is the Z-algorithm:
 * within the match that reaches furthest, the lengths are known from its beginning, so the work is linear.
 */
function matchLengths(tokens: Int32Array): Int32Array {
  const { length } = tokens;
  const lengths = new Int32Array(length);
  let [from, end] = [0, 0];
  for (let at = 1; at < length; at++) {
    let match = at < end ? min(lengths[at - from] ?? 0, end - at) : 0;
    while (at + match < length && tokens[match] === tokens[at + match]) match += 1;
    lengths[at] = match;
    if (at + match > end) [from, end] = [at, at + match];
  }
  return lengths;
}

/** Lowers the logits of the tokens in `lengths`, except those that are a breaker by themselves. */
function lower(
  candidates: Candidates,
  { dryMultiplier, dryBase, dryAllowedLength }: Dry,
  lengths: ReadonlyMap<number, number>,
  breakers: Breakers,
): void {
  const { tokens, logits, size } = candidates;
  const [multiplier, base] = [fround(dryMultiplier), fround(dryBase)];
  const most = base > fround(1.000001) ? Math.trunc(LOG_OF_LARGEST / fround(log(base))) : 0;
  for (let index = 0; index < size; index++) {
    const token = tokens[index] ?? 0;
    const length = lengths.get(token);
    if (length === undefined || breakers.get(token)?.some((tail) => tail.length === 0)) continue;
    const exponent = most > 0 ? min(length - dryAllowedLength, most) : length - dryAllowedLength;
    logits[index] = (logits[index] ?? 0) - fround(multiplier * base ** exponent);
  }
  candidates.sorted = false;
}
