import { serverError } from '../../contract/errors.ts';
import {
  addEntry,
  admitOrReplace,
  applyEvent,
  becomeIdle,
  createKeeperState,
  type Entry,
  isClosed,
  type KeeperOptions,
  loadEntry,
  settleKeeper,
  unloadEntry,
  type Visit,
  visit,
} from './lifecycle.ts';
import type { ModelState } from './model-state.ts';

/** A model that is in memory, or that requests wait for. */
export interface Kept<M> extends Pick<ModelState, 'id' | 'state' | 'memory' | 'expiresAt'> {
  /** Null unless the state is `ready`. */
  model: M | null;
  /** The number of requests that wait to enter the model. */
  waiting: number;
}

/** Keeps models in memory while they are used, within the limits and the available memory. */
export interface Keeper<M> extends AsyncDisposable {
  /**
   * Enters a model and loads it first if needed. Returns null if the signal aborts first. Throws what `load` throws, and a 503 `ApiError`
   * at once if `maxWaiting` requests wait already or the keeper is closing.
   */
  enter(id: string, signal: AbortSignal): Promise<Visit<M> | null>;
  /**
   * Sets how long a loaded model stays in memory after its last use, in ms; null means for ever, 0 unloads it. This holds until the next
   * call for the model, or until the model is unloaded. It has no effect on a pinned model, and none on an unload that `unload` asked for.
   */
  keep(id: string, ms: number | null): void;
  /** Unloads a model once it has no users, even if it is pinned. Returns false if it is not in memory. */
  unload(id: string): boolean;
  list(): Kept<M>[];
  /** True if requests enter the model without waiting for a load. */
  isLoaded(id: string): boolean;
}

/** A longer timer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long a closing keeper waits for loads and unloads under way, in ms. */
const CLOSE_GRACE_MS = 10_000;

/**
 * Makes a keeper. Requests that arrive while a model loads share that load. Room goes to the model whose first request has waited
 * longest; see `decideLoad`. After a failed load, the next request tries again.
 */
export function createKeeper<M extends AsyncDisposable>(options: KeeperOptions<M>): Keeper<M> {
  const keeper = createKeeperState(options);
  const { entries } = keeper;
  const isOpen = (entry: Entry<M>): entry is Entry<M> & { model: M } =>
    entry.model !== null && !isClosed(keeper, entry) && !options.isOutdated(entry.model);

  return {
    async enter(id, signal) {
      if (keeper.ended) throw serverError('The server is shutting down.');
      if (signal.aborted) return null;
      const known = entries.get(id);
      if (known && isOpen(known)) return visit(keeper, known, known.model);
      const entry = known ?? addEntry(keeper, id);
      const entered = entry.waitingRoom.wait(signal);
      if (known) admitOrReplace(keeper, known);
      else entry.work = loadEntry(keeper, entry);
      return entered;
    },

    keep(id, ms) {
      const entry = entries.get(id);
      if (!entry?.model || entry.state.pinned) return;
      applyEvent(entry, { kind: 'kept', ms: ms !== null && ms > LONGEST_TIMER_MS ? null : ms });
      if (entry.state.users === 0) becomeIdle(keeper, entry);
    },

    unload(id) {
      const entry = entries.get(id);
      if (!entry?.model) return false;
      applyEvent(entry, { kind: 'unload asked' });
      if (entry.state.users === 0) becomeIdle(keeper, entry);
      return true;
    },

    list: () =>
      [...entries.values()].map(({ state: { id, state, memory, expiresAt }, model, waitingRoom }) => ({
        expiresAt,
        id,
        state,
        memory,
        model,
        waiting: waitingRoom.waiting,
      })),

    isLoaded(id) {
      const entry = entries.get(id);
      return entry !== undefined && isOpen(entry);
    },

    async [Symbol.asyncDispose]() {
      keeper.ended = true;
      for (const entry of entries.values()) {
        entry.waitingRoom.fail(serverError('The server is shutting down.'));
        unloadEntry(keeper, entry, 'shutdown', 'the server is shutting down');
      }
      settleKeeper(keeper);
      const works = [...entries.values()].map(({ work }) => work);
      if (!(await within(CLOSE_GRACE_MS, Promise.all(works))))
        options.log.warn('some models could not be unloaded in time');
    },
  };
}

async function within(ms: number, done: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
