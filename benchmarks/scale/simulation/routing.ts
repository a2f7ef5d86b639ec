import { createDice } from '../../../test/kit/dice.ts';

/** What a router sees of the replicas, which it knows by their numbers. */
export interface View {
  /** True if the replica takes requests. */
  isUp(replica: number): boolean;
  /** Requests that wait or run at the replica. */
  load(replica: number): number;
  /** Requests at all replicas, and the number of replicas that take requests. */
  total(): { load: number; up: number };
}

/** Chooses the replica for a request with this key. At least one must be up. */
export type Route = (key: number, view: View) => number;

export type RouteName = 'round robin' | 'least busy' | 'prefix hash' | 'prefix hash, bounded';

/** Points of each replica on the ring. More points share the keys more evenly. */
const POINTS = 160;

/**
 * Returns the route with this name among this many replicas. With a bound, a replica may have `boundFactor` times the
 * average load.
 */
export function createRoute(name: RouteName, replicas: number, boundFactor: number, seed: number): Route {
  if (name === 'round robin') return roundRobin(replicas);
  if (name === 'least busy') return leastBusy(replicas, seed);
  return prefixHash(replicas, name === 'prefix hash' ? Number.POSITIVE_INFINITY : boundFactor);
}

function roundRobin(replicas: number): Route {
  let last = -1;
  return (_, { isUp }) => {
    do last = (last + 1) % replicas;
    while (!isUp(last));
    return last;
  };
}

/** Among equally busy replicas it chooses a random one. */
function leastBusy(replicas: number, seed: number): Route {
  const dice = createDice(seed);
  return (_, { isUp, load }) => {
    const from = dice.below(replicas);
    let best = -1;
    for (let step = 0; step < replicas; step++) {
      const replica = (from + step) % replicas;
      if (isUp(replica) && (best === -1 || load(replica) < load(best))) best = replica;
    }
    return best;
  };
}

/**
 * Consistent hashing: a replica that leaves moves only its own keys. With a bound, a request goes to the next replica
 * on the ring if the first one is at its bound.
 */
function prefixHash(replicas: number, factor: number): Route {
  const ring = Array.from({ length: replicas * POINTS }, (_, index) => ({
    at: hash(index * 2 + 1),
    replica: Math.floor(index / POINTS),
  })).sort((a, b) => a.at - b.at);
  return (key, { isUp, load, total }) => {
    const { load: running, up } = total();
    const bound = Math.ceil((factor * (running + 1)) / up);
    const start = firstAfter(ring, hash(key * 2));
    for (let step = 0; step < ring.length; step++) {
      const { replica } = ring[(start + step) % ring.length] as { replica: number };
      if (isUp(replica) && load(replica) < bound) return replica;
    }
    throw new Error('no replica takes requests');
  };
}

function firstAfter(ring: { at: number }[], at: number): number {
  let [low, high] = [0, ring.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ring[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Mixes the bits of an integer into another one of 32 bits. */
function hash(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
