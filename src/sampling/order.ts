/** The sort goes by three digits of 11 bits, the lowest first. These are their positions in a key, in bits. */
const SHIFTS = [0, 11, 22];
/** Number of values of a digit. */
const RADIX = 2048;

/** Position of the coarse digit, the 11 highest bits of a key. It tells which entries may be among the best. */
const COARSE_SHIFT = 21;

/** Up to this number of values, inserting one after the other is faster than counting digits. */
const FEW = 256;

/** Numbers to sort by, each with the index of its value. */
interface Keyed {
  keys: Uint32Array;
  indices: Uint32Array;
}

/**
 * Returns the indices of the `keep` highest values, highest first. Equal values keep their order. Uses a radix sort: a
 * comparison sort of a whole vocabulary would take tens of milliseconds for every token. Few values are inserted one by
 * one: they are mostly in order, but for some that a penalty has moved.
 */
export function descendingOrder(values: Float32Array, keep = values.length): Uint32Array {
  let from = toKeyed(values);
  if (values.length <= FEW) return inserted(from).subarray(0, keep);
  if (keep < values.length) from = contenders(from, keep);
  let to = allocate(from.keys.length);
  for (const shift of SHIFTS) {
    distribute(from, to, shift);
    [from, to] = [to, from];
  }
  return from.indices.subarray(0, keep);
}

function allocate(size: number): Keyed {
  return { keys: new Uint32Array(size), indices: new Uint32Array(size) };
}

/**
 * Turns the values into unsigned keys in the opposite order: the highest value has the lowest key. The bits of positive
 * floats sort like integers; those of negative floats sort the other way round.
 */
function toKeyed(values: Float32Array): Keyed {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keyed = allocate(values.length);
  for (let index = 0; index < bits.length; index++) {
    const word = bits[index] ?? 0;
    keyed.keys[index] = word < 0 ? word : word ^ 0x7fffffff;
    keyed.indices[index] = index;
  }
  return keyed;
}

/** Sorts the entries by their keys, in place, and returns their indices. Entries with the same key keep their order. */
function inserted({ keys, indices }: Keyed): Uint32Array {
  for (let from = 1; from < keys.length; from++) {
    const key = keys[from] ?? 0;
    const index = indices[from] ?? 0;
    let to = from;
    for (; to > 0 && (keys[to - 1] ?? 0) > key; to--) {
      keys[to] = keys[to - 1] ?? 0;
      indices[to] = indices[to - 1] ?? 0;
    }
    keys[to] = key;
    indices[to] = index;
  }
  return indices;
}

/** Returns at least `keep` entries, the ones with the lowest keys among them. */
function contenders({ keys, indices }: Keyed, keep: number): Keyed {
  const counts = countDigits(keys, COARSE_SHIFT);
  let last = 0;
  let total = counts[0] ?? 0;
  while (total < keep) {
    last += 1;
    total += counts[last] ?? 0;
  }
  const found = allocate(total);
  let size = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? 0;
    if (key >>> COARSE_SHIFT > last) continue;
    found.keys[size] = key;
    found.indices[size] = indices[at] ?? 0;
    size += 1;
  }
  return found;
}

/** Makes one pass of the radix sort: orders the entries by one digit. Entries with the same digit keep their order. */
function distribute(from: Keyed, to: Keyed, shift: number): void {
  const places = countDigits(from.keys, shift);
  let before = 0;
  for (let digit = 0; digit < RADIX; digit++) {
    const count = places[digit] ?? 0;
    places[digit] = before;
    before += count;
  }
  for (let at = 0; at < from.keys.length; at++) {
    const key = from.keys[at] ?? 0;
    const digit = (key >>> shift) % RADIX;
    const place = places[digit] ?? 0;
    places[digit] = place + 1;
    to.keys[place] = key;
    to.indices[place] = from.indices[at] ?? 0;
  }
}

function countDigits(keys: Uint32Array, shift: number): Uint32Array {
  const counts = new Uint32Array(RADIX);
  for (let at = 0; at < keys.length; at++) {
    const digit = ((keys[at] ?? 0) >>> shift) % RADIX;
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  return counts;
}
