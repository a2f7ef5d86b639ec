import type { Log } from '../../contract/log.ts';
import { type Claim, LoadGivenUp, type Shortage } from './claim.ts';
import {
  admission,
  decideClaim,
  fateOfIdle,
  type ModelEvent,
  type ModelState,
  newModelState,
  nextState,
  sortClaims,
  type UnloadReason,
} from './model-state.ts';
import type { MemoryState } from './residency.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts';

/** What a keeper needs. */
export interface KeeperOptions<M> {
  /** Loads a model. It claims room before each attempt. */
  load: (id: string, claim: Claim) => Promise<M>;
  /** True if a loaded model is to be loaded anew. It gets no new users, and is unloaded when the last user has left. */
  isOutdated: (model: M) => boolean;
  /** The most models in memory at once; null means that only memory limits them. */
  maxModels: number | null;
  /** How long an idle model stays in memory, in ms; null means for ever. Requests may say otherwise, by `keep`. */
  idleTimeoutMs: number | null;
  /** True if a model stays in memory however long it is idle and whatever other models need. */
  isPinned: (id: string) => boolean;
  /** The most requests that may wait for one model to load. */
  maxWaiting: number;
  memory: () => MemoryState;
  /** Called at the start of each unload. */
  onUnload: (id: string, reason: UnloadReason) => void;
  log: Log;
}

/**
 * A request's use of a loaded model. The model is not unloaded before `leave` is called. Calling it twice does no harm.
 */
export interface Visit<M> {
  model: M;
  leave: () => void;
}

/** A model's state, and the effects that go with it: the loaded model, its waiting requests, its timer. */
export interface Entry<M> {
  state: ModelState;
  /** Null unless the state is `ready`. */
  model: M | null;
  waitingRoom: WaitingRoom<Visit<M>>;
  /** The callbacks of the room that its load waits for. */
  claim: { answer: (shortage: Shortage | null) => void; giveUp: () => void } | null;
  idleTimer?: NodeJS.Timeout;
  /** The latest load or unload. */
  work?: Promise<void>;
}

/** The state that all functions of a keeper share. */
export interface KeeperState<M> {
  readonly options: KeeperOptions<M>;
  readonly entries: Map<string, Entry<M>>;
  /** The model that gets no new users because another model waits for its room. */
  closedId: string | null;
  /** True once the keeper is closing: then no model is loaded any more. */
  ended: boolean;
  /** Returns the next tick of a clock that only grows. */
  now: () => number;
}

/** Makes the state of a keeper without models. */
export function createKeeperState<M extends AsyncDisposable>(options: KeeperOptions<M>): KeeperState<M> {
  let ticks = 0;
  return { options, entries: new Map(), closedId: null, ended: false, now: () => ticks++ };
}

/** Adds a model that a request asks for. */
export function addEntry<M extends AsyncDisposable>(keeper: KeeperState<M>, id: string): Entry<M> {
  const { options, entries, now } = keeper;
  const waitingRoom = createWaitingRoom<Visit<M>>(options.maxWaiting, now, () => settleKeeper(keeper));
  const state = newModelState(id, options.isPinned(id));
  const entry: Entry<M> = { state, model: null, waitingRoom, claim: null };
  entries.set(id, entry);
  return entry;
}

/** Applies an event to the state of a model. */
export function applyEvent<M>(entry: Entry<M>, event: ModelEvent): void {
  entry.state = nextState(entry.state, event);
}

/** Loads a model and lets in the requests that wait for it, or fails them with the error of the load. Never rejects. */
export async function loadEntry<M extends AsyncDisposable>(keeper: KeeperState<M>, entry: Entry<M>): Promise<void> {
  try {
    const model = await keeper.options.load(entry.state.id, (needed) => claimRoom(keeper, entry, needed));
    if (keeper.ended) return await model[Symbol.asyncDispose]();
    entry.model = model;
    applyEvent(entry, { kind: 'loaded' });
    becomeIdle(keeper, entry);
    // All requests that waited for this load enter, even if another model waits for the room by now.
    entry.waitingRoom.open(() => visit(keeper, entry, model));
  } catch (error) {
    removeEntry(keeper, entry);
    entry.waitingRoom.fail(error);
  }
  settleKeeper(keeper);
}

function claimRoom<M extends AsyncDisposable>(keeper: KeeperState<M>, entry: Entry<M>, needed: number) {
  return new Promise<Shortage | null>((answer, reject) => {
    const giveUp = () => {
      removeEntry(keeper, entry);
      reject(new LoadGivenUp(`nobody waits for ${entry.state.id} any more`));
    };
    entry.claim = { answer, giveUp };
    applyEvent(entry, { kind: 'claimed', needed });
    settleKeeper(keeper);
  });
}

/** Lets a request into a loaded model. */
export function visit<M extends AsyncDisposable>(keeper: KeeperState<M>, entry: Entry<M>, model: M): Visit<M> {
  clearTimeout(entry.idleTimer);
  applyEvent(entry, { kind: 'entered', tick: keeper.now() });
  let leave = () => {
    leave = () => {};
    applyEvent(entry, { kind: 'left' });
    if (entry.state.users > 0) return;
    becomeIdle(keeper, entry);
    settleKeeper(keeper);
  };
  return { model, leave: () => leave() };
}

/** Unloads a loaded model without users at once, or starts its idle timer. */
export function becomeIdle<M extends AsyncDisposable>(keeper: KeeperState<M>, entry: Entry<M>): void {
  applyEvent(entry, { kind: 'idle', tick: keeper.now() });
  const fate = fateOfIdle(entry.state, keeper.options.idleTimeoutMs);
  if (fate.unload) {
    unloadEntry(keeper, entry, 'asked', 'a request asked for it');
    return;
  }
  const { ms } = fate;
  clearTimeout(entry.idleTimer);
  applyEvent(entry, { kind: 'timed', at: ms === null ? null : Date.now() + ms });
  if (ms === null) return;
  entry.idleTimer = setTimeout(() => unloadEntry(keeper, entry, 'idle', 'nobody has used it for long'), ms).unref();
}

/** Unloads a model if it is loaded. Requests that come meanwhile have it loaded again. */
export function unloadEntry<M extends AsyncDisposable>(
  keeper: KeeperState<M>,
  entry: Entry<M>,
  reason: UnloadReason,
  why: string,
): void {
  const { model, waitingRoom } = entry;
  if (!model) return;
  const { id } = entry.state;
  clearTimeout(entry.idleTimer);
  keeper.options.onUnload(id, reason);
  entry.model = null;
  applyEvent(entry, { kind: 'unloading' });
  entry.work = dispose(keeper, id, model, why).then(async () => {
    if (waitingRoom.waiting > 0 && !keeper.ended) {
      applyEvent(entry, { kind: 'wanted again' });
      return loadEntry(keeper, entry);
    }
    removeEntry(keeper, entry);
    settleKeeper(keeper);
  });
}

async function dispose<M extends AsyncDisposable>({ options }: KeeperState<M>, id: string, model: M, why: string) {
  try {
    await model[Symbol.asyncDispose]();
    options.log.info('model unloaded', { model: id, why });
  } catch (error) {
    options.log.error('model could not be unloaded', { model: id, error: String(error) });
  }
}

function removeEntry<M>({ entries }: KeeperState<M>, entry: Entry<M>): void {
  // After a load was given up, a new entry of the same model may have taken the place.
  if (entries.get(entry.state.id) === entry) entries.delete(entry.state.id);
}

/**
 * Serves all claims and lets in all requests for which this is possible now. Must be called after each change. Room goes to the model
 * whose first request has waited longest.
 */
export function settleKeeper<M extends AsyncDisposable>(keeper: KeeperState<M>): void {
  keeper.closedId = null;
  while (serveFirstClaim(keeper));
  for (const entry of keeper.entries.values()) admitOrReplace(keeper, entry);
}

/** Lets the waiting requests of a loaded model in, or unloads it if its files have been replaced and it has no users. */
export function admitOrReplace<M extends AsyncDisposable>(keeper: KeeperState<M>, entry: Entry<M>): void {
  const { model, waitingRoom, state } = entry;
  if (!model || waitingRoom.waiting === 0) return;
  const decision = admission(state.users, isClosed(keeper, entry), keeper.options.isOutdated(model));
  if (decision === 'admit') waitingRoom.open(() => visit(keeper, entry, model));
  if (decision === 'replace') unloadEntry(keeper, entry, 'replaced', 'its files have been replaced');
}

/** True if the model gets no new users because another model waits for its room. */
export function isClosed<M>({ closedId }: KeeperState<M>, { state }: Entry<M>): boolean {
  return state.id === closedId;
}

/** Answers the first claim, or makes room for it. Returns false if there is no claim, or if it must wait. */
function serveFirstClaim<M extends AsyncDisposable>(keeper: KeeperState<M>): boolean {
  const { options, entries } = keeper;
  const { abandoned, first } = sortClaims(entries.values());
  for (const { claim } of abandoned) claim?.giveUp();
  const needed = first?.state.needed ?? null;
  if (!first || needed === null) return false;
  const { maxModels, memory } = options;
  const decision = decideClaim(needed, entries.values(), { maxModels, memory: memory() });
  switch (decision.kind) {
    case 'load':
      applyEvent(first, { kind: 'granted' });
      answer(first, null);
      return true;
    case 'refuse':
      applyEvent(first, { kind: 'refused' });
      answer(first, { needed, available: decision.available, ...(decision.pinned && { pinned: true }) });
      return true;
    case 'unload': {
      const idle = entries.get(decision.id);
      if (idle) unloadEntry(keeper, idle, 'room', `${first.state.id} needs its room`);
      return true;
    }
    case 'wait':
      keeper.closedId = decision.closed;
      return false;
    default:
      return decision satisfies never;
  }
}

function answer<M>(entry: Entry<M>, shortage: Shortage | null): void {
  const { claim } = entry;
  entry.claim = null;
  claim?.answer(shortage);
}
