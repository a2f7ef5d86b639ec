/**
 * The places at which the prefill of a slot pauses so that the slot can be copied there. A model that cannot drop its
 * latest tokens needs this: it can only use a copy as a whole. A place is a number of tokens.
 */
export interface Pauses {
  /** Returns the first place after `length` tokens; infinite if there is none. */
  after(length: number): number;
  /** Adds a place at which a copy for later prompts is made. */
  keepAt(place: number): void;
  isKeptAt(place: number): boolean;
  /** Adds a place at which another slot copies this one. The prefill continues when `done` is settled. */
  shareAt(place: number, done: Promise<void>): void;
  /** Resolves when all other slots have made their copies at this place. */
  shared(place: number): Promise<unknown>;
  clear(): void;
}

/** Makes the pauses of one slot, at first without places. */
export function createPauses(): Pauses {
  const kept = new Set<number>();
  const shared = new Map<number, Promise<void>[]>();
  return {
    after: (length) => Math.min(...[...kept, ...shared.keys()].filter((place) => place > length)),
    keepAt: (place) => kept.add(place),
    isKeptAt: (place) => kept.has(place),
    shareAt: (place, done) => shared.set(place, [...(shared.get(place) ?? []), done]),
    shared: (place) => Promise.all(shared.get(place) ?? []),
    clear() {
      kept.clear();
      shared.clear();
    },
  };
}

/** A slot's reservation of a pause in another slot's prefill. A slot has at most one. */
export interface Appointment {
  /** Reserves a pause, and ends the reservation before. */
  make(pauses: Pauses, place: number): void;
  /** Ends the reservation, if there is one, so that the other slot goes on. */
  end(): void;
}

/** Makes the reservation of one slot, at first without a pause. */
export function createAppointment(): Appointment {
  let made: { pauses: Pauses; place: number; end: () => void } | undefined;
  const end = () => {
    made?.end();
    made = undefined;
  };
  return {
    end,
    make(pauses, place) {
      if (made?.pauses === pauses && made.place === place) return;
      end();
      const done = new Promise<void>((resolve) => {
        made = { pauses, place, end: resolve };
      });
      pauses.shareAt(place, done);
    },
  };
}
