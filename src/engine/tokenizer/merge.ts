/** Returns the rank of a merge of two neighbours; undefined if they do not merge. The lowest rank is merged first. */
export type RankOf = (left: string, right: string) => number | undefined;

/** A possible merge. It is outdated once one of its parts has another length. */
interface Candidate {
  rank: number;
  left: number;
  right: number;
  leftLength: number;
  rightLength: number;
}

/**
 * Merges the characters of a text pair by pair, and returns the parts. The lowest rank is merged first; of equal ranks,
 * the leftmost pair. The time grows with n log n, so a very long word costs hardly more than many short ones.
 */
export function mergeCharacters(text: string, rankOf: RankOf): string[] {
  const parts: (string | null)[] = [...text];
  const previous = Int32Array.from(parts, (_, index) => index - 1);
  const next = Int32Array.from(parts, (_, index) => (index + 1 < parts.length ? index + 1 : -1));
  const queue: Candidate[] = [];

  const offer = (left: number, right: number) => {
    const [first, second] = [parts[left], parts[right]];
    if (first == null || second == null) return;
    const rank = rankOf(first, second);
    if (rank !== undefined) {
      push(queue, { rank, left, right, leftLength: first.length, rightLength: second.length });
    }
  };
  for (let right = 1; right < parts.length; right++) offer(right - 1, right);
  for (let best = pop(queue); best; best = pop(queue)) {
    const { left, right } = best;
    const [first, second] = [parts[left], parts[right]];
    if (first?.length !== best.leftLength || second?.length !== best.rightLength) continue;
    parts[left] = first + second;
    parts[right] = null;
    const after = next[right] ?? -1;
    next[left] = after;
    if (after !== -1) previous[after] = left;
    offer(previous[left] ?? -1, left);
    offer(left, after);
  }
  return parts.filter((part) => part !== null);
}

function isBefore(a: Candidate, b: Candidate): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.left < b.left);
}

/** Adds an item to a binary heap whose first item is the next to merge. */
function push(heap: Candidate[], item: Candidate): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (!above || isBefore(above, item)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Candidate[]): Candidate | undefined {
  const first = heap[0];
  const item = heap.pop();
  if (!item || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    const [one, other] = [heap[child], heap[child + 1]];
    if (one && other && isBefore(other, one)) child++;
    const below = heap[child];
    if (!below || isBefore(item, below)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = item;
  return first;
}
