import { LEAST_TOKENS, type Tier } from './copies.ts';

/**
 * The measured speed of copies, and what a copy needs besides its tokens. The functions of this file return new rates.
 */
export interface CopyRates {
  /** Bytes per ms when a copy is written. */
  readonly save: number;
  /** Bytes per ms when a copy is loaded, by where it lies. */
  readonly load: Readonly<Record<Tier, number>>;
  /** The bytes of a state besides its tokens. */
  readonly stateBytes: number;
}

/** The rates before anything was measured. */
export const UNKNOWN_RATES: CopyRates = {
  save: 1_000_000,
  load: { ram: 300_000, disk: 150_000 },
  stateBytes: 64 * 1024,
};

/** Bytes of a state for each token besides its keys and values: its position and its sequence. */
const CELL_BYTES = 32;
/** Smaller copies say nothing of the rate: most of their time is spent waiting for the store. */
const TELLING_BYTES = 4 * 1024 * 1024;
/** The share of the newest measurement in an average. */
const NEWEST = 0.3;
/** A copy is only made if evaluating its tokens takes this many times longer: not every copy is ever loaded. */
const WORTH = 4;

/** Returns the rates after a copy of `bytes` bytes was loaded from a tier in `ms` ms. */
export function afterLoad(rates: CopyRates, tier: Tier, bytes: number, ms: number): CopyRates {
  return { ...rates, load: { ...rates.load, [tier]: averaged(rates.load[tier], bytes, ms) } };
}

/**
 * Returns the rates after a copy was written in `ms` ms. Sizes are in bytes; the size was estimated before.
 */
export function afterSave(rates: CopyRates, bytes: number, ms: number, estimatedBytes: number): CopyRates {
  const stateBytes = rates.stateBytes + Math.max(0, bytes - estimatedBytes);
  return { ...rates, save: averaged(rates.save, bytes, ms), stateBytes };
}

function averaged(rate: number, bytes: number, ms: number): number {
  return bytes < TELLING_BYTES ? rate : rate + NEWEST * (bytes / ms - rate);
}

/** Returns the bytes that a copy of this many tokens takes. `bytesPerToken` counts the keys and values of one token. */
export function estimateBytes({ stateBytes }: CopyRates, tokens: number, bytesPerToken: number): number {
  return tokens * (bytesPerToken + CELL_BYTES) + stateBytes;
}

/**
 * Returns true if a copy is worth the time to write it.
 *
 * @param lostTokens the number of tokens that would have to be evaluated again without the copy
 * @param saveMs the time to write the copy, in ms
 * @param tokenMs the time to evaluate one prompt token, in ms
 */
export function isWorthSaving(lostTokens: number, saveMs: number, tokenMs: number): boolean {
  return lostTokens >= LEAST_TOKENS && WORTH * saveMs <= lostTokens * tokenMs;
}
