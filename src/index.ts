import { checkExposure } from './cli/config/exposure.ts';
import { checkKeys } from './cli/config/file.ts';
import { resolveConfig } from './cli/config/resolve.ts';
import type { Config } from './cli/config/settings.ts';

export { listPaddockSite } from './site-files.ts';

/**
 * The settings of `paddock serve`, by the same names, with the same rules and, but for two, the same defaults. `port` is 0 by
 * default and `logLevel` `'silent'`.
 */
export interface ServerOptions {
  /** Address to listen on. Any but this machine's own needs `apiKey` or `noAuth`. By default `127.0.0.1`. */
  host?: string;
  /** Port to listen on. By default 0, which picks a free one. */
  port?: number;
  /** Folder of GGUF models, subfolders included. By default `~/.paddock/models`. */
  models?: string;
  /** `auto`, the default, takes the GPU, else the CPU, else WebAssembly. */
  backend?: 'auto' | 'gpu' | 'cpu' | 'wasm';
  /** Keys that clients must send one of. By default none, and the API is open to this machine. */
  apiKey?: string | string[];
  /** Allows to listen beyond this machine without any key. */
  noAuth?: boolean;
  /** Web origins that may call besides pages of this machine; `*` for any. */
  corsOrigin?: string | string[];
  /** Texts that end a reply with `content_filter`, in any case. */
  contentFilter?: string | string[];
  /** Generations of one model at once. By default 4. */
  slots?: number;
  /** Context window of one slot, in tokens. By default the model's, at most 8192, or 4096 on WebAssembly. */
  ctxLen?: number;
  /** CPU threads. By default the number of cores. */
  threads?: number;
  /** Most tokens in one forward pass. By default 512. */
  batch?: number;
  /** Models in memory at once; the least recently used one gives way. By default as many as fit. */
  maxLoadedModels?: number;
  /** Seconds without a request after which a model is unloaded; 0 never unloads. By default 3600. */
  idleTimeout?: number;
  /** Requests of one model that may wait for a slot. By default 512. */
  queue?: number;
  /** Largest request body, in bytes. By default 33,554,432. */
  bodyLimit?: number;
  /** Largest file of an image or a recording, in bytes. By default 20,971,520. */
  mediaLimit?: number;
  /** Allows to fetch images from this machine and its private networks too. */
  allowPrivateMedia?: boolean;
  /** Log lines go to standard error as JSON. By default `'silent'`. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A server that runs in this process. */
export interface PaddockServer {
  /** Its address, without a slash at the end. The OpenAI-style API is under `/v1`, the chat page at `/`. */
  url: string;
  /** Takes no more requests, gives the running ones 10 s to end and frees the models. Later calls wait for the same end. */
  close(): Promise<void>;
}

/** The name of the options in error messages. */
const ORIGIN = 'the options object of startServer';

/**
 * Starts Paddock in this process; resolves when it listens. It handles no signals and never ends the process. It reads neither
 * `config.json` nor the `PADDOCK_` variables, but for `PADDOCK_HOME`, the folder of its models and downloads.
 *
 * @throws Error if an option is unknown or wrong, if other machines could reach the server without a key, or if the address
 *   can't be listened on. The message says what to change.
 */
export async function startServer(options: ServerOptions = {}): Promise<PaddockServer> {
  const config = toConfig(options);
  checkExposure(config);
  // Imported on demand: a program that only lists the site does without the server's heavy parts.
  const [{ SHUTDOWN_GRACE_MS, startPaddock }, { createLog }] = await Promise.all([
    import('./cli/serve.ts'),
    import('./cli/log.ts'),
  ]);
  const { url, stop } = await startPaddock(config, createLog(config.logLevel));
  let closing: Promise<void> | undefined;
  return {
    url,
    close() {
      closing ??= stop(SHUTDOWN_GRACE_MS);
      return closing;
    },
  };
}

function toConfig(options: ServerOptions): Config {
  const values = { ...options, port: options.port ?? 0, logLevel: options.logLevel ?? 'silent' };
  checkKeys(values, ORIGIN);
  const { PADDOCK_HOME } = process.env;
  return resolveConfig({ flags: {}, env: { PADDOCK_HOME }, file: { path: ORIGIN, folder: process.cwd(), values } });
}
