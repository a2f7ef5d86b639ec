import type { ModelCard } from '../src/contract/models/model.ts';
import type { LoadedModel, MovingModel } from '../src/contract/residency.ts';
import type { ModelKind, ModelShape } from '../src/engine/engine.ts';

// The messages between the service worker, the pages and their workers. Everything here is plain data.

/**
 * A stored file: it lies in the origin's private file system, or among the files that the service worker keeps. `size`
 * is in bytes.
 */
export type StoredFile =
  | { place: 'opfs'; path: string[]; size: number }
  | { place: 'shell'; url: string; size: number };

/** All that an engine needs to load a model. */
export interface BrowserSource {
  /** The GGUF, or its split files in order. */
  files: StoredFile[];
  projector?: StoredFile;
  kind: ModelKind;
  shape: ModelShape;
  /** The special tokens as text; wllama does not tell them. */
  tokens: { bos: string; eos: string; infill: { prefix: string; suffix: string; middle: string } | null };
  chatTemplate?: string;
  /** In tokens; without it, the model's own as far as the memory allows. */
  contextLength?: number;
  /** The most that it computes with; without it, as many as the device has. */
  threads?: number;
}

/** A model of the browser's catalogue. */
export interface BrowserModel {
  card: ModelCard;
  source: BrowserSource;
}

/**
 * The setup of the API and the engine on this origin. `startPaddock` stores it; the service worker and the leader read
 * it.
 */
export interface BrowserConfig {
  /** Keys that open the API; none means that it is open. */
  apiKeys: string[];
  /** Texts that end a reply with content_filter. */
  contentFilter: string[];
  /** Requests that may wait for the engine. */
  maxQueue: number;
  /** Longest silence before the first token of a stream, in ms. */
  pingIntervalMs: number;
  /** The server that answers in place of this browser while it can; null for none. */
  server: HomeServer | null;
}

/** A Paddock server of the user's. */
export interface HomeServer {
  /** It ends with a slash. */
  url: string;
  key: string | null;
}

/** `refuses` means that it answers, but does not let pages of this origin read that. */
export type ServerState = 'answers' | 'silent' | 'refuses';

/** The header by which the service worker tells a page the `ServerState`, if there is a server. */
export const SERVER_STATE = 'x-paddock-server';

/** A worker of the leader, and the call of `core/wire.ts` that it serves. */
export type Destination =
  /** Serves an `InferenceCall` with this model. */
  | { to: 'engine'; model: BrowserModel }
  /** Serves an empty call; its one event is the `EngineState`. */
  | { to: 'engine'; model: null }
  /** Serves a `ModelJob`; its events are `PullEvent`s. `body` is the file of an import, and is transferred. */
  | { to: 'models'; body: ReadableStream<Uint8Array> | null };

/** A way from the service worker to a worker of the leader. A port comes with it. */
export type Connection = Destination & {
  /** Names the connection's lock. */
  id: string;
  /** Names the API request in the log lines of both ends. */
  requestId: string;
};

/**
 * A change of the stored models. The models' worker makes it, because only dedicated workers can write files
 * synchronously.
 */
export type ModelJob =
  | { kind: 'pull'; source: string }
  /** `size` is in bytes; null where it is not known. */
  | { kind: 'import'; filename: string; size: number | null }
  | { kind: 'remove'; id: string };

/** The state of the engine's worker. */
export interface EngineState {
  loaded: LoadedModel[];
  moving: MovingModel[];
  /** The device that the engine computes on. `reason` tells people why it is nothing better. */
  device: { backend: 'webgpu' | 'wasm'; threads: number; reason: string };
}

/**
 * The leader's signs of life on a port: `accepted` at once and `alive` every `ALIVE_MS`, so that a frozen leader is
 * noticed.
 */
export type PortSign = { kind: 'accepted' } | { kind: 'alive' };

/** How often a leader says that it is alive, in ms. */
export const ALIVE_MS = 1000;
/** A leader that is silent for so long counts as frozen, in ms. */
export const FROZEN_AFTER_MS = 5000;
/**
 * A worker that is silent for so long while its page is not is stuck, in ms. It is less than `FROZEN_AFTER_MS`, so that the
 * worker is replaced before its page counts as frozen.
 */
export const STUCK_AFTER_MS = 3000;
/** How long a request waits for a leader to appear, in ms. */
export const LEADER_WAIT_MS = 3000;

/** A message from a page to the service worker. */
export type PageMessage = { kind: 'who-am-i' };

/**
 * Opens a connection. The service worker sends it to the leader, and the leader to its worker; the port goes with it.
 */
export interface ConnectMessage {
  kind: 'connect';
  connection: Connection;
}

/** A message from the service worker to a page. */
export type ServiceWorkerMessage =
  /** `clientId` is the page's own id, which a page can't find out by itself. */
  | { kind: 'you-are'; clientId: string }
  | ConnectMessage
  /** The leader is frozen: become the leader, with this epoch. */
  | { kind: 'take-over'; epoch: number };

/** The page that holds this lock leads as soon as its workers are ready; the other pages wait for the lock. */
export const ELECTION_LOCK = 'paddock-election';

/** The lock that a leader holds while its workers are ready. Its name tells which page leads. */
export function leaderLock(epoch: number, clientId: string): string {
  return `paddock-leader:${epoch}:${clientId}`;
}

/** Reads the name of a leader's lock; null for any other lock. */
export function readLeaderLock(name: string): { epoch: number; clientId: string } | null {
  const found = /^paddock-leader:(\d+):(.+)$/.exec(name);
  return found ? { epoch: Number(found[1]), clientId: found[2] as string } : null;
}

/**
 * The lock that the service worker holds while it listens on a connection. Once it is free, nobody reads the reply any
 * more.
 */
export function connectionLock(id: string): string {
  return `paddock-connection:${id}`;
}

/** What a service worker tells all pages while it fetches its files. */
export type InstallMessage =
  /** Amounts are in bytes, of files that are not compressed. */
  | { kind: 'progress'; completed: number; total: number }
  /** The reason is for people. */
  | { kind: 'failed'; message: string };

/** The name of the `BroadcastChannel` for these messages. `scope` is the URL of the service worker's folder. */
export function installChannel(scope: string): string {
  return `paddock-install:${scope}`;
}
