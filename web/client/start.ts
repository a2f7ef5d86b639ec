import { readBrowserConfig, writeBrowserConfig } from '../config.ts';
import { chooseDevice } from '../engine/device.ts';
import { startCandidate, whenLed } from '../leader/candidate.ts';
import { takeControl } from './control.ts';
import { sendModelFile } from './import-model.ts';
import { install } from './install.ts';
import { allowed, checkNeeds } from './needs.ts';
import { watchTyping } from './typing.ts';

export interface PaddockOptions {
  /**
   * The folder that holds `service-worker.js` and `paddock/`, by default the page's own. The page must lie in it or
   * below.
   */
  folder?: string | URL;
  /**
   * Lets the page load itself again, once, to become cross-origin isolated on a web server that does not send the
   * headers for it. A page that is not isolated runs engines with one thread. True by default.
   */
  reload?: boolean;
  /**
   * Keys of the API. Without keys the API is open, which is the default. This option and the ones below apply to all
   * pages of the origin, until a page sets them again.
   */
  apiKeys?: string[];
  /** Texts that end a reply with `content_filter`; none by default. */
  contentFilter?: string[];
  /** Requests that may wait while one runs; 64 by default. A running engine keeps the number that it started with. */
  maxQueue?: number;
  /** Longest silence before the first token of a stream, in ms; 10,000 by default. */
  pingIntervalMs?: number;
  /** Called while the files of a first visit are being fetched. */
  onProgress?: (progress: FetchProgress) => void;
}

/** The progress of a fetch, in bytes before compression. */
export interface FetchProgress {
  completed: number;
  total: number;
}

/** The device that engines compute on when this page leads. */
export interface PaddockDevice {
  backend: 'webgpu' | 'wasm';
  threads: number;
  /** Why the engine runs on this device and not on a faster one, in one or two sentences for users. */
  reason: string;
}

export interface PaddockModelStatus {
  id: string;
  backend: 'gpu' | 'cpu' | 'wasm';
  device: string;
  fallback_reasons: string[];
  /** In tokens. */
  context_length: number;
  slots: number;
  /** In bytes, by estimate. */
  memory: number;
  /** Requests that run. */
  busy: number;
  /** Requests that wait. */
  waiting: number;
}

/** The reply of `GET /health`. */
export interface PaddockStatus {
  status: 'ok';
  /** The model in memory, if there is one. */
  models: PaddockModelStatus[];
  /** The models that are being loaded or unloaded, or that wait to be loaded. */
  moving: { id: string; state: 'queued' | 'loading' | 'unloading'; waiting: number }[];
}

/** The progress of an import, in bytes. */
export interface ImportProgress {
  completed: number;
  total: number;
}

export interface Paddock {
  device: PaddockDevice;
  /**
   * Resolves to true if the browser never deletes the models by itself, even on a full disk. Some browsers ask the user
   * first.
   */
  persistent: Promise<boolean>;
  /** Returns the models in memory and how busy they are, whichever page leads. */
  status(): Promise<PaddockStatus>;
  /**
   * Stores a GGUF file from disk as a model and returns its id. Throws an `Error` that says what is wrong with the
   * file.
   */
  importModel(file: File, onProgress?: (progress: ImportProgress) => void): Promise<string>;
  /** Stops this page from leading. Its requests still work while another page of the origin leads. */
  close(): void;
}

/**
 * Starts Paddock on this page. It registers the service worker that answers the API, and makes this page a candidate
 * for the lead: one page of the origin leads and runs the engine for all pages. Resolves when
 * `fetch('/v1/chat/completions')` works. Call it once on every page that stays open.
 *
 * May reload the page the first time (see `reload`); it never resolves then.
 *
 * @throws Error that tells people what to do, when the browser lacks or denies what Paddock needs, when the files can't
 *   be fetched, or when the service worker does not control the page. It may be called again.
 */
export async function startPaddock(options: PaddockOptions = {}): Promise<Paddock> {
  const typing = watchTyping(globalThis);
  const { folder = './', reload = true, onProgress = () => {}, ...config } = options;
  checkNeeds();
  const stored = await allowed(readBrowserConfig());
  await allowed(writeBrowserConfig({ ...stored, ...config }));
  const registration = await install(new URL(folder, document.baseURI), onProgress);
  await takeControl(reload, typing);
  const [candidate, device] = await Promise.all([startCandidate(registration), chooseDevice()]);
  await whenLed();

  const [key] = config.apiKeys ?? stored.apiKeys;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    device,
    persistent: askToPersist(),
    status: async () => (await fetch('/health', { headers })).json(),
    importModel: (file, onProgress) => sendModelFile(file, headers, onProgress),
    close: candidate.close,
  };
}

/** False if the browser has no persistent storage, or refuses it, as some do in private windows. */
async function askToPersist(): Promise<boolean> {
  try {
    return await navigator.storage.persist();
  } catch {
    return false;
  }
}
