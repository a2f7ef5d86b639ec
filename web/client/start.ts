import { readConfig, writeConfig } from '../config.ts';
import { chooseDevice } from '../engine/device.ts';
import { startHost, whenHosted } from '../host/host.ts';
import { takeControl } from './control.ts';
import { importModel } from './import-model.ts';

export interface PaddockOptions {
  /**
   * The folder that holds `service-worker.js` and `paddock/`, by default the page's own. The page must lie in it or below.
   */
  folder?: string | URL;
  /**
   * Whether the page may load itself again, once, to become cross-origin isolated on a host that does not send the headers for it.
   * Without that, engines have one thread. By default true.
   */
  reload?: boolean;
  /**
   * Keys that open the API; none means that it is open, as it is at first. This and what follows hold for all pages of the origin, and
   * stay until a page says otherwise.
   */
  apiKeys?: string[];
  /** Texts that end a reply with `content_filter`; at first none. */
  contentFilter?: string[];
  /** Requests that may wait while one runs, at first 64. Engines that run already keep to what held when they started. */
  maxQueue?: number;
  /** Longest silence before the first token of a stream, in ms, at first 10,000. */
  pingIntervalMs?: number;
}

/** What engines compute on when this page hosts them. */
export interface PaddockDevice {
  backend: 'webgpu' | 'wasm';
  threads: number;
  /** Why this, and why nothing better: a sentence or two for people. */
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
  /** Those on their way in or out. */
  moving: { id: string; state: 'queued' | 'loading' | 'unloading'; waiting: number }[];
}

/** How far an import is; amounts are in bytes. */
export interface ImportProgress {
  completed: number;
  total: number;
}

export interface Paddock {
  device: PaddockDevice;
  /** Whether the browser will keep the models when the disk runs full. Some browsers ask the user, and until then this waits. */
  persistent: Promise<boolean>;
  /** What is loaded and how busy it is, whichever page hosts it. */
  status(): Promise<PaddockStatus>;
  /** Stores a GGUF file from disk as a model and gives its id. Throws an `Error` that says what is wrong with it. */
  importModel(file: File, onProgress?: (progress: ImportProgress) => void): Promise<string>;
  /** Stops hosting. Requests still work as long as another page of the origin hosts. */
  close(): void;
}

/**
 * Starts Paddock on this page and resolves when `fetch('/v1/chat/completions')` works: it registers the service worker that answers,
 * and makes this page one of those that can run the engine for all pages of the origin. Call it once on every page that stays open.
 *
 * May load the page again the first time (see `reload`) and then never resolves.
 *
 * @throws Error where the browser lacks service workers or Web Locks, as outside of https and localhost, or where the page is out of
 *   the service worker's reach
 */
export async function startPaddock(options: PaddockOptions = {}): Promise<Paddock> {
  const { folder = './', reload = true, ...config } = options;
  if (!('serviceWorker' in navigator) || !('locks' in navigator)) {
    throw new Error('Paddock needs service workers and Web Locks; browsers have them on https and on localhost alone.');
  }
  const stored = await readConfig();
  await writeConfig({ ...stored, ...config });
  const base = new URL(folder, document.baseURI);
  const registration = await navigator.serviceWorker.register(new URL('service-worker.js', base), { scope: base.href });
  await takeControl(reload);
  const [host, device] = await Promise.all([startHost(registration), chooseDevice()]);
  await whenHosted();

  const [key] = config.apiKeys ?? stored.apiKeys;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    device,
    persistent: navigator.storage.persist().catch(() => false),
    status: async () => (await fetch('/health', { headers })).json(),
    importModel: (file, onProgress) => importModel(file, headers, onProgress),
    close: host.close,
  };
}
