import type { ModelCard } from '../src/contract/models/model.ts';
import type { LoadedModel, MovingModel } from '../src/contract/residency.ts';
import type { ModelKind, ModelShape } from '../src/engine/engine.ts';

// The messages between the service worker, the pages and their workers. Everything here is plain data.

/**
 * A stored file, in the origin's private file system (`opfs`) or among the files that the service worker keeps
 * (`shell`). `size` is in bytes.
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
  /** The texts of the special tokens, which wllama does not tell. */
  tokens: { bos: string; eos: string; infill: { prefix: string; suffix: string; middle: string } | null };
  chatTemplate?: string;
  /** The context window in tokens. If absent, it is the model's own, or less if the memory has no room for it. */
  contextLength?: number;
  /** The most threads that the model uses. If absent, the size of the model decides. */
  threads?: number;
}

/** A model of the browser's catalogue. */
export interface BrowserModel {
  card: ModelCard;
  source: BrowserSource;
}

/**
 * The configuration of the API and the engine on this origin. `startPaddock` stores it; the service worker and the
 * leader read it.
 */
export interface BrowserConfig {
  /** Keys of the API. Without keys the API is open. */
  apiKeys: string[];
  /** Texts that end a reply with content_filter. */
  contentFilter: string[];
  /** Requests that may wait for the engine. */
  maxQueue: number;
  /** Longest silence before the first token of a stream, in ms. */
  pingIntervalMs: number;
  /** The server that answers in place of this browser while it can be reached; null for none. */
  server: HomeServer | null;
}

/** The user's own Paddock server. */
export interface HomeServer {
  /** Ends with a slash. */
  url: string;
  key: string | null;
}

/** `refuses` means that the server answers, but does not let pages of this origin read the answer. */
export type ServerState = 'answers' | 'silent' | 'refuses';

/** The header that tells a page the `ServerState`, if there is a server. */
export const SERVER_STATE = 'x-paddock-server';

/** A worker of the leader, and the call (src/wire/call.ts) that it serves. */
export type Destination =
  /** Serves an `InferenceCall` with this model. */
  | { to: 'engine'; model: BrowserModel }
  /** Serves an empty call; its one event is the `EngineState`. */
  | { to: 'engine'; model: null }
  /** Serves a `ModelJob`; its events are `PullEvent`s. `body` is the file of an import, and is transferred. */
  | { to: 'models'; body: ReadableStream<Uint8Array> | null };

/** A connection from the service worker to a worker of the leader. Its port is sent with it. */
export type Connection = Destination & {
  /** The id in the name of the connection's lock. */
  id: string;
  /** The id of the API request, which both ends log. */
  requestId: string;
};

/**
 * A change of the stored models. The models' worker makes it, because only dedicated workers can write files
 * synchronously.
 */
export type ModelJob =
  | { kind: 'pull'; source: string }
  /** `size` is in bytes; null if it is unknown. */
  | { kind: 'import'; filename: string; size: number | null }
  | { kind: 'remove'; id: string };

/** The state of the engine's worker. */
export interface EngineState {
  loaded: LoadedModel[];
  moving: MovingModel[];
  /** The device that the engine computes on. `reason` tells users why it is not a faster one. */
  device: { backend: 'webgpu' | 'wasm'; threads: number; reason: string };
  /**
   * The bytes that a model may surely take: WebAssembly's memory, and a buffer of the largest size on a graphics card to which
   * files stream.
   */
  available: number;
}

/**
 * The leader's signs of life on a port: `accepted` at once, then `alive` every `ALIVE_MS`. Without them a frozen leader
 * would go unnoticed.
 */
export type PortSign = { kind: 'accepted' } | { kind: 'alive' };

/** How often a leader says that it is alive, in ms. */
export const ALIVE_MS = 1000;
/** A leader that is silent for this long counts as frozen, in ms. */
export const FROZEN_AFTER_MS = 5000;
/**
 * A worker that is silent for this long, while its page is not, counts as stuck, in ms. Less than `FROZEN_AFTER_MS`, so
 * that the worker is replaced before its page counts as frozen.
 */
export const STUCK_AFTER_MS = 3000;
/** How long a request waits for a leader to appear, in ms. */
export const LEADER_WAIT_MS = 3000;

/** A message from a page to the service worker. `stay` asks for nothing: as an event, it keeps the service worker. */
export type PageMessage = { kind: 'who-am-i' } | { kind: 'stay' };

/**
 * Opens a connection. The service worker sends it to the leader, and the leader to its worker, each time with the port.
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

/** The page that holds this lock leads once its workers are ready. The other pages wait for the lock. */
export const ELECTION_LOCK = 'paddock-election';

/** Returns the name of the lock that a leader holds while its workers are ready. The name tells which page leads. */
export function leaderLock(epoch: number, clientId: string): string {
  return `paddock-leader:${epoch}:${clientId}`;
}

/** Reads the name of a leader's lock. Returns null for any other lock. */
export function readLeaderLock(name: string): { epoch: number; clientId: string } | null {
  const found = /^paddock-leader:(\d+):(.+)$/.exec(name);
  return found ? { epoch: Number(found[1]), clientId: found[2] as string } : null;
}

/**
 * Returns the name of the lock that the service worker holds while it reads a connection. Once the lock is free, nobody
 * reads the reply.
 */
export function connectionLock(id: string): string {
  return `paddock-connection:${id}`;
}

/** A message from the service worker to all pages while it fetches its files. */
export type InstallMessage =
  /** In bytes before compression. */
  | { kind: 'progress'; completed: number; total: number }
  /** The reason, as a sentence for users. */
  | { kind: 'failed'; message: string };

/**
 * Returns the name of the `BroadcastChannel` for `InstallMessage`. `scope` is the URL of the service worker's folder.
 */
export function installChannel(scope: string): string {
  return `paddock-install:${scope}`;
}
