/** Blocks that nobody holds any more and that are still remembered: a million tokens. */
const REMEMBERED_BLOCKS = 65_536;

/**
 * Says who holds the beginning of a prompt. Prefixes are given as the hashes of their blocks: since each stands for all blocks before
 * it too, they form a tree, and the way from its root to a block is what the holders of the block have in common.
 */
export interface PrefixIndex<Holder> {
  /** Notes what a holder holds; what it held before is forgotten. */
  hold(holder: Holder, hashes: readonly number[]): void;
  /** Notes that a holder holds nothing any more. */
  release(holder: Holder): void;
  /** Notes that a holder has never held what was noted of it. */
  revoke(holder: Holder): void;
  /** How many first blocks each holder has of a prompt, for those that have any. */
  find(hashes: readonly number[]): Map<Holder, number>;
  /** The number of blocks that this holder has and nobody else. */
  unique(holder: Holder): number;
  /** How many first blocks of a prompt somebody has, or had not long ago. */
  remembered(hashes: readonly number[]): number;
}

export function createPrefixIndex<Holder>(): PrefixIndex<Holder> {
  const holdersOf = new Map<number, Set<Holder>>();
  const heldBy = new Map<Holder, readonly number[]>();
  /** In the order in which they were lost. */
  const lost = new Set<number>();

  /** Returns the blocks that nobody has any more. */
  const remove = (holder: Holder): number[] => {
    const removed = heldBy.get(holder) ?? [];
    heldBy.delete(holder);
    return removed.filter((hash) => {
      const holders = holdersOf.get(hash);
      holders?.delete(holder);
      return holders?.size === 0 && holdersOf.delete(hash);
    });
  };
  const release = (holder: Holder) => {
    for (const hash of remove(holder)) lost.add(hash);
    for (const hash of lost) {
      if (lost.size <= REMEMBERED_BLOCKS) break;
      lost.delete(hash);
    }
  };

  return {
    release,
    revoke: (holder) => void remove(holder),
    hold(holder, hashes) {
      release(holder);
      heldBy.set(holder, hashes);
      for (const hash of hashes) {
        const holders = holdersOf.get(hash);
        if (holders) holders.add(holder);
        else holdersOf.set(hash, new Set([holder]));
        lost.delete(hash);
      }
    },
    find(hashes) {
      const found = new Map<Holder, number>();
      for (const [index, hash] of hashes.entries()) {
        const holders = holdersOf.get(hash);
        if (!holders) break;
        for (const holder of holders) if ((found.get(holder) ?? 0) === index) found.set(holder, index + 1);
      }
      return found;
    },
    unique(holder) {
      const hashes = heldBy.get(holder) ?? [];
      return hashes.filter((hash) => holdersOf.get(hash)?.size === 1).length;
    },
    remembered(hashes) {
      const unknown = hashes.findIndex((hash) => !holdersOf.has(hash) && !lost.has(hash));
      return unknown === -1 ? hashes.length : unknown;
    },
  };
}
