import { serverError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import { type MemoryState, makeRoom, type Resident } from './residency.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts';

/** A shortage of memory, in bytes. */
export interface Shortage {
  needed: number;
  available: number;
  /** Models that are pinned have the rest, or all the places. */
  pinned?: true;
}

/**
 * Waits for room for `needed` bytes. The model's load holds this room until it claims again or fails. Returns the
 * shortage if there can never be enough room. Throws `LoadGivenUp` when nobody waits for the model any more.
 */
export type Claim = (needed: number) => Promise<Shortage | null>;

export interface KeeperOptions<M> {
  /** Loads a model. It claims room before each attempt. */
  load: (id: string, claim: Claim) => Promise<M>;
  /** Whether a loaded model is to be loaded anew. It gets no new users, and is unloaded when the last one has left. */
  isOutdated: (model: M) => boolean;
  /** The most models in memory at once; null means that only memory limits them. */
  maxModels: number | null;
  /** How long an idle model stays in memory, in ms; null means for ever. Requests may say otherwise, by `keep`. */
  idleTimeoutMs: number | null;
  /** Says whether a model stays in memory whatever else is needed, and however long it is idle. */
  isPinned: (id: string) => boolean;
  /** The most requests that may wait for one model to load. */
  maxWaiting: number;
  memory: () => MemoryState;
  /** Is told of each unload. */
  onUnload: (id: string, reason: UnloadReason) => void;
  log: Log;
}

/** A load is given up while it waits for room: nobody wants the model any more. */
export class LoadGivenUp extends Error {
  override readonly name = 'LoadGivenUp';
}

/** Why a model leaves memory. */
export type UnloadReason = 'idle' | 'room' | 'replaced' | 'asked' | 'shutdown';

/**
 * A request's use of a loaded model. The model is not unloaded before `leave` is called. Calling it twice does no harm.
 */
export interface Visit<M> {
  model: M;
  leave: () => void;
}

/** A model that is in memory, or that requests wait for. */
export interface Kept<M> {
  id: string;
  /** `queued` means that it waits for room. */
  state: 'queued' | Resident['state'];
  /** Estimated bytes. */
  memory: number;
  /** Null unless the state is `ready`. */
  model: M | null;
  /** Requests that wait to enter the model. */
  waiting: number;
  /** When it is to be unloaded if nobody uses it until then, in Unix ms; null if it is in use or stays for ever. */
  expiresAt: number | null;
}

/** Keeps models in memory while they are used, within the limits and the available memory. */
export interface Keeper<M> extends AsyncDisposable {
  /**
   * Enters a model and loads it first if needed. Returns null if the signal aborts first. Throws what `load` throws,
   * and a 503 `ApiError` at once if `maxWaiting` requests wait already.
   */
  enter(id: string, signal: AbortSignal): Promise<Visit<M> | null>;
  /**
   * Says how long a loaded model is to stay in memory after its last use, in ms; null means for ever, 0 unloads it. It holds until
   * it is said again, and as long as the model stays loaded. A pinned model stays all the same, and one that is to be unloaded goes.
   */
  keep(id: string, ms: number | null): void;
  /** Unloads a model once nobody uses it, even one that is pinned. Returns false if it is not in memory. */
  unload(id: string): boolean;
  list(): Kept<M>[];
}

interface Entry<M> extends Omit<Kept<M>, 'waiting'> {
  users: number;
  usedAt: number;
  pinned: boolean;
  /** How long it stays when idle, in ms; null means for ever, undefined as all models do. */
  keepMs?: number | null;
  /** Somebody has asked that it be unloaded as soon as nobody uses it. Nothing takes that back. */
  unloadAsked: boolean;
  waitingRoom: WaitingRoom<Visit<M>>;
  /** The room that the model waits for while it is `queued`. */
  claim: { needed: number; answer: (shortage: Shortage | null) => void; drop: () => void } | null;
  idleTimer?: NodeJS.Timeout;
  /** The latest load or unload. */
  work?: Promise<void>;
}

/** A longer timer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long a closing keeper waits for loads and unloads under way, in ms. */
const CLOSE_GRACE_MS = 10_000;

/**
 * Makes a keeper. Requests that arrive while a model loads share that load. Room goes to the model whose first request
 * has waited longest; see `makeRoom`. After a failed load, the next request tries again.
 */
export function createKeeper<M extends AsyncDisposable>(options: KeeperOptions<M>): Keeper<M> {
  const { log, maxModels, idleTimeoutMs } = options;
  const entries = new Map<string, Entry<M>>();
  /** The model that gets no new users because another model waits for its room. */
  let closedId: string | null = null;
  let ended = false;
  let ticks = 0;
  const now = () => ticks++;

  const addEntry = (id: string): Entry<M> => {
    const waitingRoom = createWaitingRoom<Visit<M>>(options.maxWaiting, now, () => settle());
    const entry: Entry<M> = {
      id,
      state: 'queued',
      memory: 0,
      model: null,
      users: 0,
      usedAt: 0,
      pinned: options.isPinned(id),
      unloadAsked: false,
      expiresAt: null,
      waitingRoom,
      claim: null,
    };
    entries.set(id, entry);
    return entry;
  };

  const removeEntry = (entry: Entry<M>) => {
    if (entries.get(entry.id) === entry) entries.delete(entry.id);
  };

  const load = async (entry: Entry<M>) => {
    try {
      const model = await options.load(entry.id, (needed) => claim(entry, needed));
      if (ended) return await model[Symbol.asyncDispose]();
      Object.assign(entry, { state: 'ready', model });
      becomeIdle(entry);
      // Lets in all requests that waited for this load, even if another model waits for the room by now.
      entry.waitingRoom.open(() => visit(entry, model));
    } catch (error) {
      removeEntry(entry);
      entry.waitingRoom.fail(error);
    }
    settle();
  };

  const claim = (entry: Entry<M>, needed: number) =>
    new Promise<Shortage | null>((answer, reject) => {
      const drop = () => {
        removeEntry(entry);
        reject(new LoadGivenUp(`nobody waits for ${entry.id} any more`));
      };
      Object.assign(entry, { state: 'queued', memory: 0, claim: { needed, answer, drop } });
      settle();
    });

  const visit = (entry: Entry<M>, model: M): Visit<M> => {
    clearTimeout(entry.idleTimer);
    entry.expiresAt = null;
    entry.users += 1;
    entry.usedAt = now();
    let leave = () => {
      leave = () => {};
      entry.users -= 1;
      if (entry.users > 0) return;
      becomeIdle(entry);
      settle();
    };
    return { model, leave: () => leave() };
  };

  const becomeIdle = (entry: Entry<M>) => {
    entry.usedAt = now();
    if (entry.unloadAsked || entry.keepMs === 0) return unload(entry, 'asked', 'a request asked for it');
    const ms = entry.keepMs === undefined ? idleTimeoutMs : entry.keepMs;
    clearTimeout(entry.idleTimer);
    entry.expiresAt = null;
    if (entry.pinned || ms === null) return;
    entry.expiresAt = Date.now() + ms;
    entry.idleTimer = setTimeout(() => unload(entry, 'idle', 'nobody has used it for long'), ms).unref();
  };

  const unload = (entry: Entry<M>, reason: UnloadReason, why: string) => {
    const { model, id, waitingRoom } = entry;
    if (!model) return;
    clearTimeout(entry.idleTimer);
    options.onUnload(id, reason);
    Object.assign(entry, { state: 'unloading', model: null, unloadAsked: false, expiresAt: null });
    delete entry.keepMs;
    entry.work = dispose(id, model, why).then(async () => {
      // Requests that came during the unload have the model loaded again.
      if (waitingRoom.waiting > 0 && !ended) return load(Object.assign(entry, { state: 'queued' }));
      removeEntry(entry);
      settle();
    });
  };

  const dispose = async (id: string, model: M, why: string) => {
    try {
      await model[Symbol.asyncDispose]();
      log.info('model unloaded', { model: id, why });
    } catch (error) {
      log.error('model could not be unloaded', { model: id, error: String(error) });
    }
  };

  /**
   * Finds the claim of the model whose first request has waited longest. Drops the claims of models that no request
   * waits for any more.
   */
  const firstClaim = (): Entry<M> | undefined => {
    const claiming = [...entries.values()].filter(({ claim }) => claim !== null);
    for (const { claim, waitingRoom } of claiming) if (waitingRoom.waiting === 0) claim?.drop();
    return claiming
      .filter(({ waitingRoom }) => waitingRoom.waiting > 0)
      .sort((a, b) => a.waitingRoom.since - b.waitingRoom.since)[0];
  };

  /** Answers a claim or makes room for it. Returns false if something else must end first. */
  const serve = (entry: Entry<M>, { needed, answer }: NonNullable<Entry<M>['claim']>): boolean => {
    const residents = [...entries.values()].filter(isResident);
    const decision = makeRoom(needed, residents, { maxModels, memory: options.memory() });
    switch (decision.kind) {
      case 'load':
        Object.assign(entry, { claim: null, state: 'loading', memory: needed });
        answer(null);
        return true;
      case 'refuse':
        entry.claim = null;
        answer({ needed, available: decision.available, ...(decision.pinned && { pinned: true }) });
        return true;
      case 'unload': {
        const idle = entries.get(decision.id);
        if (idle) unload(idle, 'room', `${entry.id} needs its room`);
        return true;
      }
      case 'wait':
        closedId = decision.closed;
        return false;
      default:
        return decision satisfies never;
    }
  };

  /** Whether a loaded model gets no new users now. */
  const isClosed = ({ id }: Entry<M>, model: M) => id === closedId || options.isOutdated(model);

  /** Unloads a model that is outdated and that nobody uses, so that those who wait get it as it is now. */
  const renew = (entry: Entry<M>) => {
    const { model, users, waitingRoom } = entry;
    if (model && users === 0 && waitingRoom.waiting > 0 && options.isOutdated(model)) {
      unload(entry, 'replaced', 'its files have been replaced');
    }
  };

  /** Serves all claims and lets in all requests for which this is possible now. Called after each change. */
  const settle = () => {
    closedId = null;
    for (let entry = firstClaim(); entry?.claim && serve(entry, entry.claim); ) entry = firstClaim();
    for (const entry of entries.values()) {
      const { model, waitingRoom } = entry;
      if (!model || waitingRoom.waiting === 0) continue;
      if (!isClosed(entry, model)) waitingRoom.open(() => visit(entry, model));
      renew(entry);
    }
  };

  return {
    async enter(id, signal) {
      if (ended) throw serverError('The server is shutting down.');
      if (signal.aborted) return null;
      const known = entries.get(id);
      if (known?.model && !isClosed(known, known.model)) return visit(known, known.model);
      const entry = known ?? addEntry(id);
      const entered = entry.waitingRoom.wait(signal);
      if (known) renew(known);
      else entry.work = load(entry);
      return entered;
    },

    keep(id, ms) {
      const entry = entries.get(id);
      if (!entry?.model || entry.pinned) return;
      entry.keepMs = ms !== null && ms > LONGEST_TIMER_MS ? null : ms;
      if (entry.users === 0) becomeIdle(entry);
    },

    unload(id) {
      const entry = entries.get(id);
      if (!entry?.model) return false;
      entry.unloadAsked = true;
      if (entry.users === 0) becomeIdle(entry);
      return true;
    },

    list: () =>
      [...entries.values()].map(({ id, state, memory, model, waitingRoom, expiresAt }) => ({
        expiresAt,
        id,
        state,
        memory,
        model,
        waiting: waitingRoom.waiting,
      })),

    async [Symbol.asyncDispose]() {
      ended = true;
      for (const entry of entries.values()) {
        entry.waitingRoom.fail(serverError('The server is shutting down.'));
        unload(entry, 'shutdown', 'the server is shutting down');
      }
      settle();
      const works = [...entries.values()].map(({ work }) => work);
      if (!(await within(CLOSE_GRACE_MS, Promise.all(works)))) log.warn('some models could not be unloaded in time');
    },
  };
}

function isResident<M>(entry: Entry<M>): entry is Entry<M> & Resident {
  return entry.state !== 'queued';
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
