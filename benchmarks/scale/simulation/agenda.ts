/** A queue of things to do, sorted by time. Things of the same time keep the order in which they were added. */
export interface Agenda<T> {
  add(atMs: number, thing: T): void;
  next(): { atMs: number; thing: T } | undefined;
}

interface Entry<T> {
  atMs: number;
  order: number;
  thing: T;
}

/** Makes an empty agenda: a binary heap. */
export function createAgenda<T>(): Agenda<T> {
  const heap: Entry<T>[] = [];
  let order = 0;
  const before = (a: number, b: number) => {
    const [one, other] = [heap[a] as Entry<T>, heap[b] as Entry<T>];
    return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
  };
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b] as Entry<T>, heap[a] as Entry<T>];
  };
  return {
    add(atMs, thing) {
      heap.push({ atMs, order: order++, thing });
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!before(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    next() {
      const [first] = heap;
      const last = heap.pop();
      if (!first || !last) return undefined;
      if (heap.length > 0) heap[0] = last;
      for (let at = 0; ; ) {
        const least = [2 * at + 1, 2 * at + 2].reduce(
          (so, child) => (child < heap.length && before(child, so) ? child : so),
          at,
        );
        if (least === at) break;
        swap(at, least);
        at = least;
      }
      return first;
    },
  };
}
