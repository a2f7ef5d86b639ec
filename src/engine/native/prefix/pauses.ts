/**
 * Where evaluating the prompt of a slot pauses: there a copy can be made of all that it holds, which is the only one that a model can
 * use that can't go back. Places are numbers of tokens.
 */
export interface Pauses {
  /** The first place after so many tokens; infinite if there is none. */
  after(length: number): number;
  /** Adds a place at which a copy is to be kept. */
  keepAt(place: number): void;
  isKeptAt(place: number): boolean;
  /** Adds a place at which another slot takes over what is there. Evaluating goes on when `done` is settled. */
  shareAt(place: number, done: Promise<void>): void;
  /** Resolves when all have taken over what they wanted at this place. */
  shared(place: number): Promise<unknown>;
  clear(): void;
}

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

/** The appointment of a slot with another one, which pauses for it. It has one at a time. */
export interface Appointment {
  /** Makes one, and ends the one before. */
  make(pauses: Pauses, place: number): void;
  end(): void;
}

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
