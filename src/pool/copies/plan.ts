import type { Tier } from '../../engine/node/copy-messages.ts';

/** What is known of a copy, or of the room that one will take. */
export interface Copy {
  name: string;
  /** What its state belongs to: model file, engine and settings, as a hash. */
  identity: string;
  tier: Tier;
  bytes: number;
  /** When it was last written or read, in ms since 1970. */
  usedAt: number;
  /** What evaluating its tokens anew would take, in ms. */
  evaluateMs: number;
  /** Those that write, read or move it now. It can't be given up before they are done. */
  users: number;
}

/** The most bytes of each tier. */
export type Limits = Record<Tier, number>;

/** Two copies whose ages differ by less than this are as likely to be asked for again. */
const SAME_AGE_MS = 60_000;

/** How much time a byte of a copy is expected to save: more for what is slow to evaluate, less with age. */
export function usefulness({ evaluateMs, bytes, usedAt }: Copy, now: number): number {
  return evaluateMs / Math.max(1, bytes) / (Math.max(0, now - usedAt) + SAME_AGE_MS);
}

export function bytesIn(copies: Iterable<Copy>, tier: Tier): number {
  let total = 0;
  for (const copy of copies) if (copy.tier === tier) total += copy.bytes;
  return total;
}

/**
 * Lists the copies to give up so that a tier has room for `bytes` more, least useful first. Null if it can't have.
 */
export function makeRoom(copies: Iterable<Copy>, tier: Tier, limit: number, bytes: number, now: number): Copy[] | null {
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

/** Lists the copies that are to go from RAM to disk, so that at most `most` bytes stay. */
export function toMoveDown(copies: Iterable<Copy>, most: number, now: number): Copy[] {
  const inRam = [...copies].filter(({ tier }) => tier === 'ram');
  let excess = bytesIn(inRam, 'ram') - most;
  return leastUsefulFirst(inRam, now).filter((copy) => {
    if (excess <= 0) return false;
    excess -= copy.bytes;
    return true;
  });
}

/** Those that nobody uses now. */
function leastUsefulFirst(copies: Copy[], now: number): Copy[] {
  return copies.filter(({ users }) => users === 0).sort((a, b) => usefulness(a, now) - usefulness(b, now));
}

/** Those that nobody uses now. */
export function mostUsefulFirst(copies: Copy[], now: number): Copy[] {
  return leastUsefulFirst(copies, now).reverse();
}
