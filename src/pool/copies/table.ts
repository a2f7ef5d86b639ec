import type { Tier } from '../../engine/node/copy-messages.ts';
import { bytesIn, type Copy, chooseEvictions, mostUsefulFirst, type TierLimits, toMoveDown } from './plan.ts';

/** A copy that has no place yet. */
export type NewCopy = Pick<Copy, 'name' | 'identity' | 'bytes' | 'evaluateMs'>;

/** A copy that has just got its place, and the copies that were evicted for it. */
export interface Placed {
  copy: Copy;
  evicted: Copy[];
}

/**
 * The table of a store's copies: which exist, in which tier, of how many bytes, and how many readers and writers each has. It knows no
 * files and no clock: `now` is in ms since 1970. A copy that a method returns as evicted is in the table no more; the caller deletes its
 * file. A copy with users is never evicted.
 */
export interface CopyTable {
  get(name: string): Copy | undefined;
  /** Returns the copies of one identity. */
  ofIdentity(identity: string): Copy[];
  bytesIn(tier: Tier): number;
  /** Adds a copy whose file is already there. Returns false, and adds nothing, if the name is taken. */
  add(copy: Copy): boolean;
  /** Returns false if the copy is not in the table. */
  remove(copy: Copy): boolean;
  /** Evicts copies of a tier until it keeps its limit. */
  trim(tier: Tier, now: number): Copy[];
  /**
   * Adds a copy that is about to be written, with its writer as its only user. It gets a place in RAM if nothing is evicted there, else
   * on disk, else in RAM. Returns null if neither tier can have room.
   */
  place(copy: NewCopy, now: number): Placed | null;
  /** Lets a copy grow to `bytes`. Returns the evicted copies, or null if there can be no room. */
  grow(copy: Copy, bytes: number, now: number): Copy[] | null;
  /**
   * Ends the writing of a copy. Removes and returns the copies named in `replaces`, except copies that have users or another identity.
   */
  complete(copy: Copy, facts: Pick<Copy, 'bytes' | 'evaluateMs'>, replaces: readonly string[]): Copy[];
  /** Adds a user to a copy. Returns null if there is none of this name and identity. */
  use(name: string, identity: string): Copy | null;
  /** Takes a user away from a copy. */
  release(copy: Copy): void;
  /** Lists the unused copies to move to disk so that at most `most` bytes stay in RAM, least useful first. */
  toMoveDown(most: number, now: number): Copy[];
  /** Lists the unused copies in RAM, most useful first. */
  unusedInRam(now: number): Copy[];
  /** True if the copy is in the table and has no users. */
  isUnused(copy: Copy): boolean;
  /**
   * Begins to move a copy to disk: the mover becomes its user, and a second copy named `roomName` takes the place on disk. Returns that
   * second copy, or null if the disk can have no room.
   */
  beginMove(copy: Copy, roomName: string, now: number): Placed | null;
  /** Puts a copy in the place on disk that `room` has taken, and removes `room`. The mover remains the copy's user. */
  endMove(copy: Copy, room: Copy): void;
}

/** Makes an empty table. `limits` are the most bytes of each tier. */
export function createCopyTable(limits: TierLimits): CopyTable {
  const copies = new Map<string, Copy>();

  const evict = (evicted: Copy[]) => {
    for (const { name } of evicted) copies.delete(name);
    return evicted;
  };
  const makeRoomIn = (tier: Tier, bytes: number, now: number) => {
    const evicted = chooseEvictions(copies.values(), tier, limits[tier], bytes, now);
    return evicted && evict(evicted);
  };
  const placeIn = (tier: Tier, wanted: NewCopy, now: number): Placed | null => {
    const evicted = makeRoomIn(tier, wanted.bytes, now);
    if (!evicted) return null;
    const { name, identity, bytes, evaluateMs } = wanted;
    const copy: Copy = { name, identity, tier, bytes, usedAt: now, evaluateMs, users: 1 };
    copies.set(name, copy);
    return { copy, evicted };
  };
  const contains = (copy: Copy) => copies.get(copy.name) === copy;
  const remove = (copy: Copy) => contains(copy) && copies.delete(copy.name);

  return {
    get: (name) => copies.get(name),
    ofIdentity: (identity) => [...copies.values()].filter((copy) => copy.identity === identity),
    bytesIn: (tier) => bytesIn(copies.values(), tier),
    add(copy) {
      if (copies.has(copy.name)) return false;
      copies.set(copy.name, copy);
      return true;
    },
    remove,
    trim: (tier, now) => makeRoomIn(tier, 0, now) ?? [],
    place(wanted, now) {
      // A copy in RAM must be written to disk before its place is free, so a full RAM makes every new copy wait for that.
      const fitsRam = bytesIn(copies.values(), 'ram') + wanted.bytes <= limits.ram;
      const [first, second]: [Tier, Tier] = fitsRam ? ['ram', 'disk'] : ['disk', 'ram'];
      return placeIn(first, wanted, now) ?? placeIn(second, wanted, now);
    },
    grow(copy, bytes, now) {
      if (bytes <= copy.bytes) return [];
      const evicted = makeRoomIn(copy.tier, bytes - copy.bytes, now);
      if (evicted) copy.bytes = bytes;
      return evicted;
    },
    complete(copy, facts, replaces) {
      Object.assign(copy, facts, { users: 0 });
      const named = replaces.flatMap((name) => copies.get(name) ?? []);
      return evict(named.filter(({ users, identity }) => users === 0 && identity === copy.identity));
    },
    use(name, identity) {
      const copy = copies.get(name);
      if (copy?.identity !== identity) return null;
      copy.users += 1;
      return copy;
    },
    release(copy) {
      copy.users -= 1;
    },
    toMoveDown: (most, now) => toMoveDown(copies.values(), most, now),
    unusedInRam: (now) =>
      mostUsefulFirst(
        [...copies.values()].filter(({ tier }) => tier === 'ram'),
        now,
      ),
    isUnused: (copy) => contains(copy) && copy.users === 0,
    beginMove(copy, roomName, now) {
      copy.users += 1;
      return placeIn('disk', { ...copy, name: roomName }, now);
    },
    endMove(copy, room) {
      remove(room);
      copy.tier = 'disk';
    },
  };
}
