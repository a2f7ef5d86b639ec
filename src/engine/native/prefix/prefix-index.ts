/** The most evicted blocks that are remembered. They stand for a million tokens. */
const REMEMBERED_BLOCKS = 65_536;

/**
 * Finds the holders (slots or copies) of a prompt's beginning. Prefixes are given as the hashes of their blocks. Each
 * hash also covers all blocks before it, so holders with the same hash share everything up to the end of that block.
 */
export interface PrefixIndex<Holder> {
  /** Replaces what a holder holds. The blocks that it held before count as evicted if no other holder has them. */
  hold(holder: Holder, hashes: readonly number[]): void;
  /** Removes a holder. Its blocks count as evicted if no other holder has them. */
  release(holder: Holder): void;
  /** Removes a holder. Its blocks do not count as evicted, because they may never have been evaluated. */
  revoke(holder: Holder): void;
  /** Returns the number of first blocks of a prompt that each holder has, for all holders with at least one. */
  find(hashes: readonly number[]): Map<Holder, number>;
  /** Returns the number of blocks that only this holder has. */
  unique(holder: Holder): number;
  /** Returns the number of first blocks of a prompt that are held or were evicted recently. */
  remembered(hashes: readonly number[]): number;
}

/** Makes an index without holders. It finds holders by identity. */
export function createPrefixIndex<Holder>(): PrefixIndex<Holder> {
  const holdersOf = new Map<number, Set<Holder>>();
  const heldBy = new Map<Holder, readonly number[]>();
  /** The hashes of evicted blocks, the latest at the end. */
  const lost = new Set<number>();

  /** Removes a holder, and returns the blocks that no other holder has. */
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
