import type { EngineInfo } from './engine-info.ts';

/** A loaded model's engine and how busy it is. */
export interface LoadedModel {
  id: string;
  engine: EngineInfo;
  /** The reasons why faster backends were not used; empty if the fastest is in use. */
  fallbackReasons: string[];
  /** The estimated memory of the model, in bytes. */
  memory: number;
  /** The number of slots in use. */
  busy: number;
  /** The number of requests that wait for the model or for one of its slots. */
  waiting: number;
  /** Tokens of the running generations in the KV caches of all slots. Absent where the platform does not count them. */
  heldTokens?: number;
  /** The time at which the model is unloaded if it is not used, in Unix ms; null or absent if it is in use or stays. */
  expiresAt?: number | null;
}

/** The memory for models, in bytes. Both together are the most that one model can use, once all others are unloaded. */
export interface MemoryForModels {
  /** Memory that is free, or can be freed at once. */
  available: number;
  /** Memory that models hold. */
  held: number;
}

/** A model that waits to be loaded, is being loaded or is being unloaded. */
export interface MovingModel {
  id: string;
  /** `queued` means that the model waits for memory that other models hold. */
  state: 'queued' | 'loading' | 'unloading';
  /** The number of requests that wait for the model. */
  waiting: number;
}

/** Controls which models are in memory, and for how long. */
export interface Residency {
  /** Resolves when the model is loaded. Throws as `generate` does, and a 500 `ApiError` after an abort. */
  load(modelId: string, signal: AbortSignal): Promise<void>;
  /** Unloads a model as soon as no request uses it, even if its `keep` is null. Returns false if it is not loaded. */
  unload(modelId: string): boolean;
  /**
   * Sets how long a loaded model stays after its last use, in ms. 0 unloads it; null keeps it until another model needs
   * its memory.
   */
  keep(modelId: string, ms: number | null): void;
}
