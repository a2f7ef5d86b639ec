import type { UnloadReason } from './residency/model-state.ts';

/** Receives the events of models and their engines, for metrics. Times are in ms. */
export interface PoolObserver {
  /** A model is loaded. `ms` includes the wait for room. */
  loaded(model: string, ms: number): void;
  loadFailed(model: string): void;
  /** A load ended because all requests for the model were aborted while it waited for room. */
  loadGivenUp(model: string): void;
  unloaded(model: string, reason: UnloadReason): void;
  /** A request has waited for slots of a loaded model. */
  waited(model: string, ms: number): void;
  engineDied(model: string): void;
  /** The watchdog ends an engine that is stuck. `engineDied` follows. */
  engineStuck(model: string): void;
  /** A generation continues on another engine after a crash. */
  tookOver(model: string): void;
}

const ignore = () => {};

/** Ignores all events. */
export const NOBODY: PoolObserver = {
  loaded: ignore,
  loadFailed: ignore,
  loadGivenUp: ignore,
  unloaded: ignore,
  waited: ignore,
  engineDied: ignore,
  engineStuck: ignore,
  tookOver: ignore,
};

/** Receives the events of one model's engine. */
export interface EngineWatch {
  died(): void;
  stuck(): void;
}

/** Returns a watch that reports the events of this model's engine to `observer`. */
export function watchFor(model: string, observer: PoolObserver): EngineWatch {
  return { died: () => observer.engineDied(model), stuck: () => observer.engineStuck(model) };
}
