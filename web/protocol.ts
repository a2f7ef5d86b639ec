import type { ErrorData } from '../src/core/errors.ts';
import type { ModelCard } from '../src/core/model.ts';
import type { PullEvent } from '../src/core/puller.ts';
import type { LoadedModel, MovingModel } from '../src/core/runner.ts';
import type { ModelKind, ModelShape } from '../src/engine/engine.ts';

// What the service worker, the pages and their workers say to one another. Everything here is plain data.

/** Where a model's bytes are: in the origin's private file system, or among the files that the service worker keeps. */
export type StoredFile =
  | { place: 'opfs'; path: string[]; size: number }
  | { place: 'shell'; url: string; size: number };

/** What a model's engine needs besides its files. */
export interface BrowserSource {
  /** The GGUF, or its split files in order. */
  files: StoredFile[];
  projector?: StoredFile;
  kind: ModelKind;
  shape: ModelShape;
  /** The special tokens as text; wllama does not tell them. */
  tokens: { bos: string; eos: string; infill: { prefix: string; suffix: string; middle: string } | null };
  chatTemplate?: string;
  /** In tokens; else the model's own, within what memory allows. */
  contextLength?: number;
}

/** A model as the browser's catalogue has it. */
export interface BrowserModel {
  card: ModelCard;
  source: BrowserSource;
}

/** How the API and the engine are set up on this origin; `startPaddock` stores it, the service worker and the host read it. */
export interface BrowserConfig {
  /** Keys that open the API; none means that it is open. */
  apiKeys: string[];
  /** Texts that end a reply with content_filter. */
  contentFilter: string[];
  /** Requests that may wait for the engine. */
  maxQueue: number;
  /** Longest silence before the first token of a stream, in ms. */
  pingIntervalMs: number;
}

/** What the service worker asks of the page that hosts the workers; a port comes with each. The answer on it begins with `accepted`. */
export type Connection =
  /** The engine's end of `core/wire.ts` follows on the port, for this model. */
  | { to: 'engine'; requestId: string; model: BrowserModel }
  /** Answered by one `EngineState`. */
  | { to: 'engine'; requestId: string; model: null }
  /** Answered by `JobMessage`s. */
  | { to: 'models'; requestId: string; job: ModelJob };

/** What is done to the stored models where files can be written synchronously. `body` is transferred. */
export type ModelJob =
  | { kind: 'pull'; source: string }
  | { kind: 'import'; filename: string; size: number | null; body: ReadableStream<Uint8Array> }
  | { kind: 'remove'; id: string };

/** What the engine's worker has in memory. */
export interface EngineState {
  kind: 'state';
  loaded: LoadedModel[];
  moving: MovingModel[];
  /** What the engine computes on, and why nothing better: for people. */
  device: { backend: 'webgpu' | 'wasm'; threads: number; reason: string };
}

/** What a job says on its port. Nothing follows `end` or `error`. */
export type JobMessage = { kind: 'event'; event: PullEvent } | { kind: 'end' } | { kind: 'error'; error: ErrorData };

/** What the other end of a job's port says. */
export type JobCommand = { kind: 'cancel' };

/** What either end of a port says besides: the host at once and then every `ALIVE_MS`, so that a frozen one is noticed. */
export type PortSign = { kind: 'accepted' } | { kind: 'alive' };

/** In ms. */
export const ALIVE_MS = 1000;
/** Silence after which a host counts as frozen, in ms. */
export const FROZEN_AFTER_MS = 5000;
/** How long a request waits for a host to appear, in ms. */
export const HOST_WAIT_MS = 3000;

/** What a page says to the service worker. */
export type PageMessage = { kind: 'who-am-i' };

/** What the service worker says to a page; `connect` comes with a port. */
export type ServiceWorkerMessage =
  /** `clientId` is the page's own, which a page can't find out by itself. */
  | { kind: 'you-are'; clientId: string }
  | { kind: 'connect'; connection: Connection }
  /** The leader is frozen: become the host, with this epoch. */
  | { kind: 'take-over'; epoch: number };

/** Held by the page that is to host the workers; the others wait for it. */
export const LEADER_LOCK = 'paddock-leader';

/** Held by the page whose workers are ready, for as long as it lives: its name says which page that is. */
export function hostLock(epoch: number, clientId: string): string {
  return `paddock-host:${epoch}:${clientId}`;
}

/** What a host lock's name says; null for another lock. */
export function readHostLock(name: string): { epoch: number; clientId: string } | null {
  const found = /^paddock-host:(\d+):(.+)$/.exec(name);
  return found ? { epoch: Number(found[1]), clientId: found[2] as string } : null;
}

/** Held by the service worker for each request under way: its end tells the workers that nobody reads any more. */
export function requestLock(requestId: string): string {
  return `paddock-request:${requestId}`;
}
