import type { UnloadReason } from './residency/keeper.ts';

/** Is told what happens to models and their engines, for metrics. Times are in ms. */
export interface PoolObserver {
  /** A model is loaded. `ms` includes the wait for room. */
  loaded(model: string, ms: number): void;
  loadFailed(model: string): void;
  /** All who wanted the model left while it waited for room. */
  loadGivenUp(model: string): void;
  unloaded(model: string, reason: UnloadReason): void;
  /** A request has waited for slots of a loaded model. */
  waited(model: string, ms: number): void;
  engineDied(model: string): void;
  /** The watchdog ends an engine. Its death is told apart. */
  engineStuck(model: string): void;
  /** A generation goes on with another engine. */
  tookOver(model: string): void;
}

const ignore = () => {};

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

/** What the holder of one model tells of its engine. */
export interface EngineWatch {
  died(): void;
  stuck(): void;
}

export function watchFor(model: string, observer: PoolObserver): EngineWatch {
  return { died: () => observer.engineDied(model), stuck: () => observer.engineStuck(model) };
}
