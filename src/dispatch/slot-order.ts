import type { Party } from '../contract/call-context.ts';
import { sum } from '../utils/sum.ts';

/** A party's use of the slots. */
export interface Share {
  /** The number of slots that it holds. */
  held: number;
  /** The serial number of the latest slot that it got; 0 before its first. */
  served: number;
}

/** A caller that waits for slots, with the share of its party. */
export interface SlotClaim {
  party: Party;
  share: Share;
}

/**
 * Returns the claim to serve first, of claims in the order of arrival. A higher priority comes first, then the party
 * that holds fewer slots, then the party that was served longer ago, then the earlier arrival.
 */
export function firstOf<C extends SlotClaim>(claims: readonly C[]): C | undefined {
  let first = claims[0];
  for (const claim of claims) if (first && comesBefore(claim, first)) first = claim;
  return first;
}

/** True if `later` is to be served before `earlier`, which arrived before it. */
function comesBefore(later: SlotClaim, earlier: SlotClaim): boolean {
  if (later.party.priority !== earlier.party.priority) return later.party.priority > earlier.party.priority;
  const [a, b] = [later.share, earlier.share];
  return a.held !== b.held ? a.held < b.held : a.served < b.served;
}

/** Slots that a caller holds. */
export interface SlotHold {
  party: Party;
  count: number;
  /** True once the holder was asked to give way. */
  leaving: boolean;
}

/**
 * Returns the holds that should give way to a caller of `party`, so that `lacking` more slots become free: work in the
 * background of a lower priority, the latest first, since it loses least. Holds that were asked already count, and are
 * not returned again. `holds` are in the order in which they began. No hold gives way to other work in the background.
 */
export function holdsToEnd<H extends SlotHold>(holds: readonly H[], party: Party, lacking: number): H[] {
  const asked: H[] = [];
  if (party.giveWay) return asked;
  let left = lacking - sum(holds.filter(({ leaving }) => leaving).map(({ count }) => count));
  for (const hold of holds.toReversed()) {
    if (left <= 0) break;
    if (hold.leaving || !hold.party.giveWay || hold.party.priority >= party.priority) continue;
    asked.push(hold);
    left -= hold.count;
  }
  return asked;
}

/**
 * Returns how many of a model's slots work in the background may hold while other callers hold some, since all share the
 * processor. The oldest work goes on, so that it gets done even beside callers who come again and again.
 */
export function slotsBesideOthers(slots: number): number {
  return slots === 1 ? 0 : Math.max(1, Math.floor(slots / 4));
}

/**
 * Returns the claim to refuse when one of `party` comes to a full queue: the last one that is work in the background,
 * else the last one of the party with the most claims. Returns null if the newcomer is to be refused, because it is work
 * in the background itself, or because its party would have at least as many.
 */
export function claimToRefuse<C extends SlotClaim>(claims: readonly C[], party: Party): C | null {
  if (party.giveWay) return null;
  const background = claims.findLast((claim) => claim.party.giveWay);
  if (background) return background;
  const counts = new Map<string, number>();
  for (const claim of claims) counts.set(claim.party.name, (counts.get(claim.party.name) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if ((counts.get(party.name) ?? 0) + 1 >= most) return null;
  return claims.findLast((claim) => counts.get(claim.party.name) === most) ?? null;
}

/** The weight of the latest use of a slot in the mean duration of uses. */
const WEIGHT_OF_LATEST = 0.2;

/** Returns the mean duration after one more use of a slot, in ms. `meanMs` is null before the first. */
export function meanAfter(meanMs: number | null, ms: number): number {
  return meanMs === null ? ms : meanMs + WEIGHT_OF_LATEST * (ms - meanMs);
}

/**
 * The longest `Retry-After`, in seconds. The queue cannot be foreseen for longer, so a client should rather ask again.
 */
const LONGEST_RETRY_SECONDS = 120;
/** The `Retry-After` before any use of a slot has ended. */
const FIRST_RETRY_SECONDS = 5;

/**
 * Returns the `Retry-After` of a full queue, in whole seconds: the time in which the slots serve all waiting callers.
 */
export function retryAfterSeconds(waiting: number, slots: number, meanMs: number | null): number {
  const seconds = meanMs === null ? FIRST_RETRY_SECONDS : ((waiting / slots) * meanMs) / 1000;
  return Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(seconds)));
}
