import { type Decision, decideLoad, type ResidencyLimits, type Resident } from './residency.ts';

/** Why a model leaves memory. */
export type UnloadReason = 'idle' | 'room' | 'replaced' | 'asked' | 'shutdown';

/**
 * The state of one model that is in memory or that requests wait for. It changes by `nextState` alone. A model goes from `queued`, in
 * which it waits for room, to `loading`, `ready` and `unloading`, and then back to `queued` if requests wait for it.
 */
export interface ModelState extends Omit<Resident, 'state'> {
  state: 'queued' | Resident['state'];
  /** The bytes of room that its load waits for; null if it waits for none. */
  needed: number | null;
  /** How long it stays in memory when idle, in ms; null means for ever, undefined as long as all models do. */
  keepMs?: number | null;
  /** True if it is to be unloaded as soon as it has no users. */
  unloadAsked: boolean;
  /** When it is unloaded if no request enters it until then, in Unix ms; null if it is in use or stays for ever. */
  expiresAt: number | null;
}

/** What happens to a model. `tick` is the time on a clock that only grows. */
export type ModelEvent =
  /** Its load claims room. */
  | { kind: 'claimed'; needed: number }
  /** The claim got its room. */
  | { kind: 'granted' }
  /** There can never be the room of its claim. */
  | { kind: 'refused' }
  | { kind: 'loaded' }
  /** A request enters. */
  | { kind: 'entered'; tick: number }
  /** A request leaves. */
  | { kind: 'left' }
  /** No request uses the model from now on. */
  | { kind: 'idle'; tick: number }
  /** Its idle timer starts and ends at `at`, in Unix ms; null if it has none. */
  | { kind: 'timed'; at: number | null }
  /** A request says how long the model is to stay when idle. */
  | { kind: 'kept'; ms: number | null }
  /** A request asks for the unload. */
  | { kind: 'unload asked' }
  /** Its unload begins. */
  | { kind: 'unloading' }
  /** Its unload has ended, and it is to be loaded again. */
  | { kind: 'wanted again' };

/** Returns the state of a model that a request asks for. */
export function newModelState(id: string, pinned: boolean): ModelState {
  return {
    id,
    state: 'queued',
    memory: 0,
    users: 0,
    usedAt: 0,
    pinned,
    needed: null,
    unloadAsked: false,
    expiresAt: null,
  };
}

/** Returns the state of a model after an event. */
export function nextState(state: ModelState, event: ModelEvent): ModelState {
  switch (event.kind) {
    case 'claimed':
      return { ...state, state: 'queued', memory: 0, needed: event.needed };
    case 'granted':
      return { ...state, state: 'loading', memory: state.needed ?? 0, needed: null };
    case 'refused':
      return { ...state, needed: null };
    case 'loaded':
      return { ...state, state: 'ready' };
    case 'entered':
      return { ...state, users: state.users + 1, usedAt: event.tick, expiresAt: null };
    case 'left':
      return { ...state, users: state.users - 1 };
    case 'idle':
      return { ...state, usedAt: event.tick };
    case 'timed':
      return { ...state, expiresAt: event.at };
    case 'kept':
      return { ...state, keepMs: event.ms };
    case 'unload asked':
      return { ...state, unloadAsked: true };
    case 'unloading': {
      const { keepMs: _, ...rest } = state;
      return { ...rest, state: 'unloading', unloadAsked: false, expiresAt: null };
    }
    case 'wanted again':
      return { ...state, state: 'queued' };
    default:
      return event satisfies never;
  }
}

/** What becomes of an idle model: it is unloaded now, after `ms` without a user, or never if `ms` is null. */
export type IdleFate = { unload: true } | { unload: false; ms: number | null };

/** @param idleTimeoutMs how long models stay if no request says otherwise, in ms; null means for ever */
export function fateOfIdle({ unloadAsked, keepMs, pinned }: ModelState, idleTimeoutMs: number | null): IdleFate {
  if (unloadAsked || keepMs === 0) return { unload: true };
  if (pinned) return { unload: false, ms: null };
  return { unload: false, ms: keepMs === undefined ? idleTimeoutMs : keepMs };
}

/** A model and the requests that wait for it. `since` is the tick at which the first of them came. */
export interface Wanted {
  state: ModelState;
  waitingRoom: { readonly waiting: number; readonly since: number };
}

/** The claims for room. */
export interface Claims<W> {
  /** The claims of models that no request waits for any more. */
  abandoned: W[];
  /** The claim of the model whose first request has waited longest. */
  first: W | undefined;
}

/** Sorts the claims of all models. */
export function sortClaims<W extends Wanted>(models: Iterable<W>): Claims<W> {
  const claiming = [...models].filter(({ state }) => state.needed !== null);
  const wanted = claiming.filter(({ waitingRoom }) => waitingRoom.waiting > 0);
  return {
    abandoned: claiming.filter(({ waitingRoom }) => waitingRoom.waiting === 0),
    first: wanted.sort((a, b) => a.waitingRoom.since - b.waitingRoom.since)[0],
  };
}

/** Decides what to do for the first claim, of `needed` bytes. */
export function decideClaim(needed: number, models: Iterable<Wanted>, limits: ResidencyLimits): Decision {
  const residents = [...models].map(({ state }) => state).filter(isResident);
  return decideLoad(needed, residents, limits);
}

function isResident(state: ModelState): state is ModelState & Resident {
  return state.state !== 'queued';
}

/**
 * Decides for a loaded model with waiting requests: `admit` lets the requests in, `replace` unloads the model so that its new files are
 * loaded, and `wait` leaves the requests waiting.
 *
 * @param closed true if the model gets no new users because another model waits for its room
 * @param outdated true if the model's files have been replaced
 */
export function admission(users: number, closed: boolean, outdated: boolean): 'admit' | 'replace' | 'wait' {
  if (!closed && !outdated) return 'admit';
  return outdated && users === 0 ? 'replace' : 'wait';
}
