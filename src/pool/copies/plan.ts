import type { Tier } from '../../engine/node/copy-messages.ts';

/** A copy of a sequence's state, or the room that is taken for one that is being written. */
export interface Copy {
  name: string;
  /** The hash of model file, engine and settings that the state belongs to. */
  identity: string;
  tier: Tier;
  bytes: number;
  /** When it was last written or read, in ms since 1970. */
  usedAt: number;
  /** The time for evaluating its tokens again, in ms. */
  evaluateMs: number;
  /** The number of readers, writers and moves under way. A copy with users is not evicted. */
  users: number;
}

/** The most bytes of each tier. */
export type TierLimits = Record<Tier, number>;

/** Copies whose ages differ by less than this, in ms, count as about equally likely to be loaded again. */
const SAME_AGE_MS = 60_000;

/** Returns the time that a byte of a copy is expected to save: more if the tokens are slow to evaluate, less with age. */
export function usefulness({ evaluateMs, bytes, usedAt }: Copy, now: number): number {
  return evaluateMs / Math.max(1, bytes) / (Math.max(0, now - usedAt) + SAME_AGE_MS);
}

/** Returns the bytes of all copies in a tier. */
export function bytesIn(copies: Iterable<Copy>, tier: Tier): number {
  let total = 0;
  for (const copy of copies) if (copy.tier === tier) total += copy.bytes;
  return total;
}

/** Lists the copies to evict so that a tier has room for `bytes` more, least useful first. Returns null if that is not possible. */
export function chooseEvictions(
  copies: Iterable<Copy>,
  tier: Tier,
  limit: number,
  bytes: number,
  now: number,
): Copy[] | null {
  if (bytes > limit) return null;
  const inTier = [...copies].filter((copy) => copy.tier === tier);
  let excess = bytesIn(inTier, tier) + bytes - limit;
  const given: Copy[] = [];
  for (const copy of leastUsefulFirst(inTier, now)) {
    if (excess <= 0) break;
    given.push(copy);
    excess -= copy.bytes;
  }
  return excess <= 0 ? given : null;
}

/** Lists the copies to move from RAM to disk so that at most `most` bytes stay, least useful first. */
export function toMoveDown(copies: Iterable<Copy>, most: number, now: number): Copy[] {
  const inRam = [...copies].filter(({ tier }) => tier === 'ram');
  let excess = bytesIn(inRam, 'ram') - most;
  return leastUsefulFirst(inRam, now).filter((copy) => {
    if (excess <= 0) return false;
    excess -= copy.bytes;
    return true;
  });
}

/** Returns the copies without users, the least useful first. */
function leastUsefulFirst(copies: Copy[], now: number): Copy[] {
  return copies.filter(({ users }) => users === 0).sort((a, b) => usefulness(a, now) - usefulness(b, now));
}

/** Returns the copies without users, the most useful first. */
export function mostUsefulFirst(copies: Copy[], now: number): Copy[] {
  return leastUsefulFirst(copies, now).reverse();
}
