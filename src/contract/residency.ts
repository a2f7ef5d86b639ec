import type { EngineInfo } from './engine-info.ts';

/** A loaded model's engine and how busy it is. */
export interface LoadedModel {
  id: string;
  engine: EngineInfo;
  /** The reasons why better backends were passed over; empty if there is none. */
  fallbackReasons: string[];
  /** The estimated memory of the model, in bytes. */
  memory: number;
  /** Slots that are taken now. */
  busy: number;
  /** Requests that wait for a slot, or to enter the model. */
  waiting: number;
  /** Tokens of the running generations in the KV caches of all slots. Absent where the platform does not count them. */
  heldTokens?: number;
  /** When the model leaves memory if nobody uses it until then, in Unix ms; null or absent if it is in use or stays. */
  expiresAt?: number | null;
}

/** In bytes. Both together are what a model can have at most, once the others have left. */
export interface MemoryForModels {
  /** What is free, or can be freed at once. */
  available: number;
  /** What models hold. */
  held: number;
}

/** A model that waits to be loaded, is being loaded or is being unloaded. */
export interface MovingModel {
  id: string;
  /** `queued` means that the model waits for memory that other models hold. */
  state: 'queued' | 'loading' | 'unloading';
  /** Requests that wait for it. */
  waiting: number;
}

/** Says which models are in memory, and how long. */
export interface Residency {
  /** Resolves when the model is loaded. Throws as `generate` does, and a 500 `ApiError` after an abort. */
  load(modelId: string, signal: AbortSignal): Promise<void>;
  /** Unloads a model once nobody uses it, even one that was to stay for ever. Returns false if it is not loaded. */
  unload(modelId: string): boolean;
  /** Says how long a loaded model stays after its last use, in ms; 0 unloads it, null keeps it until others need its room. */
  keep(modelId: string, ms: number | null): void;
}
