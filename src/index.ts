import { checkExposure } from './serve/config/exposure.ts';
import { checkKeys } from './serve/config/file.ts';
import { withKeysOfFile } from './serve/config/key-file.ts';
import { resolveConfig } from './serve/config/resolve.ts';
import type { Config } from './serve/config/settings.ts';

export { listPaddockSite } from './site-files.ts';

/**
 * The settings of `paddock serve`, with the same names, rules and defaults except four: `port` and `lameDuck` are 0 by default,
 * `logLevel` is `'silent'`, and `noBatches` is true.
 */
export interface ServerOptions {
  /** Address to listen on. Any but this machine's own needs `apiKey` or `noAuth`. By default `127.0.0.1`. */
  host?: string;
  /** Port to listen on. By default 0, which picks a free one. */
  port?: number;
  /** Path of a Unix socket to listen on, in place of `host` and `port`. */
  socket?: string;
  /** File in PEM for HTTPS: the certificate, then the intermediate certificates up to its root. Needs `tlsKey`. */
  tlsCert?: string;
  /** File of the private key of `tlsCert` in PEM, without a passphrase. */
  tlsKey?: string;
  /** Folder of GGUF models, subfolders included. By default `~/.paddock/models`. */
  models?: string;
  /** `auto`, the default, takes the GPU, else the CPU, else WebAssembly. */
  backend?: 'auto' | 'gpu' | 'cpu' | 'wasm';
  /** API keys; clients must send one of them. By default there are none, and programs on this machine need no key. */
  apiKey?: string | string[];
  /** File of further API keys, one per line; `#` begins a comment. */
  apiKeyFile?: string;
  /** File of keys with limits, which `paddock key` makes. By default `~/.paddock/keys.json`, if it is there. */
  keys?: string;
  /** File of MCP servers whose tools the server runs for requests that ask for them. By default none. */
  mcp?: string;
  /** Allows other machines to use the server without a key. */
  noAuth?: boolean;
  /** Web origins whose pages may use the API and manage models; `*` lets the pages of all others ask models. */
  corsOrigin?: string | string[];
  /**
   * What web pages of other programs on localhost may do. `inference`, the default, is everything except loading, unloading, pulling,
   * importing and removing models.
   */
  localPages?: 'none' | 'inference' | 'all';
  /** Host names, besides this machine's own, that requests may be addressed to; `*` for any. */
  allowedHost?: string | string[];
  /** Texts that end a reply with `content_filter`, in any case. */
  contentFilter?: string | string[];
  /** Generations of one model at once. By default as memory allows, 16 to 1; 4 on WebAssembly. */
  slots?: number;
  /** Context window of one slot, in tokens. By default what memory allows, at most the trained length; 4096 on WebAssembly. */
  ctxLen?: number;
  /** CPU threads. By default the usable cores, or fewer where that is measured to be faster. */
  threads?: number;
  /** Most tokens in one forward pass. By default 512, on a GPU 2048. */
  batch?: number;
  /** Layers on a GPU, the output layer included. By default as many as fit. */
  gpuLayers?: number;
  /** Keeps all experts of a mixture of experts in the machine's memory, and the rest on a GPU. */
  cpuMoe?: boolean;
  /** Layers, from the first on, whose experts stay in the machine's memory. By default as few as fit. */
  nCpuMoe?: number;
  /** How several GPUs share a model. By default by layers. */
  splitMode?: 'none' | 'layer' | 'row';
  /** Shares of several GPUs in a model. By default by their free memory. */
  tensorSplit?: number[];
  /** The number of the GPU that computes what is not split. By default 0. */
  mainGpu?: number;
  /** Computes attention in one go, without its matrix in memory. By default where the backend can. */
  flashAttention?: boolean;
  /** The format of the KV cache in the native engine. By default f16; q8_0 takes about half of the memory. */
  kvType?: 'f16' | 'bf16' | 'q8_0' | 'q5_1' | 'q5_0' | 'q4_1' | 'q4_0' | 'iq4_nl';
  /** Samples every token by itself, without speculation and without skipping tokens that a grammar forces. */
  oneByOne?: boolean;
  /** Computes with llama.cpp's own kernels on the CPU, without Paddock's. */
  stockKernels?: boolean;
  /** Shares no cached prefixes between API keys, so that the duration of a reply reveals nothing of the prompts of other keys. */
  isolateKeys?: boolean;
  /** The most models in memory at once; the least recently used model is unloaded for another. By default as many as fit. */
  maxLoadedModels?: number;
  /** Other names of models, each as `name=id`, for programs that ask for a fixed name. */
  alias?: string | string[];
  /** Models to load at the start and to keep in memory. */
  preload?: string | string[];
  /** Seconds without a request after which a model is unloaded; 0 never unloads. By default 3600. */
  idleTimeout?: number;
  /** The most requests of one model that may wait for a slot. By default 512. */
  queue?: number;
  /** Largest request body, in bytes. By default 33,554,432. */
  bodyLimit?: number;
  /** Largest file of an image or a recording, in bytes. By default 20,971,520. */
  mediaLimit?: number;
  /** Allows to fetch images from this machine and its private networks too. */
  allowPrivateMedia?: boolean;
  /** Allows to pull models from this machine and its private networks too. */
  allowPrivateSources?: boolean;
  /** Keeps no copies of the KV caches of evicted slots, neither in RAM nor on disk. */
  noCache?: boolean;
  /** Most bytes of RAM for copies of evicted slots. By default an eighth of the free memory on Linux, and 0 elsewhere. */
  cacheRam?: number;
  /** Most bytes on disk for copies of evicted slots. By default a tenth of the free disk, at most 32 GiB. */
  cacheDisk?: number;
  /** Keeps no files of clients and runs no batches. By default true: the batches in the home folder are those of `paddock serve`. */
  noBatches?: boolean;
  /** Seconds after `close()` in which connections are still accepted; requests for work get a 503. By default 0. */
  lameDuck?: number;
  /** Seconds that running requests get to end after `close()`; at least `lameDuck`. By default 10. */
  shutdownGrace?: number;
  /** Serves `/metrics` without a key. */
  openMetrics?: boolean;
  /** Adds the metrics under vLLM's names to `/metrics`. */
  vllmMetrics?: boolean;
  /** URL of an OpenTelemetry collector that gets a span of each request. By default none. */
  otlpEndpoint?: string;
  /** `auto`, the default, is `pretty` on a terminal and else `json`. */
  logFormat?: 'auto' | 'json' | 'pretty';
  /** Writes the prompts of requests into the log. */
  logPrompts?: boolean;
  /** Log lines go to standard error. By default `'silent'`. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A server that runs in this process. */
export interface PaddockServer {
  /** Its address, without a slash at the end; `unix:` and the path for a Unix socket. The OpenAI-style API is under `/v1`, the chat page at `/`. */
  url: string;
  /**
   * Takes no more work, gives the running requests `shutdownGrace` to end, ends the others with an error and frees the models.
   * Later calls wait for the same end.
   */
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
  // Imported on demand: a program that only lists the site must not load the server's large dependencies.
  const [{ startPaddockServer }, { createLog }] = await Promise.all([
    import('./serve/serve.ts'),
    import('./serve/log.ts'),
  ]);
  const { url, stop } = await startPaddockServer(config, createLog(config));
  let closing: Promise<void> | undefined;
  return {
    url,
    close() {
      closing ??= stop(config.shutdownGrace * 1000, config.lameDuck * 1000);
      return closing;
    },
  };
}

function toConfig(options: ServerOptions): Config {
  const { port = 0, lameDuck = 0, logLevel = 'silent', noBatches = true } = options;
  const values = { ...options, port, lameDuck, logLevel, noBatches };
  checkKeys(values, ORIGIN);
  const { PADDOCK_HOME } = process.env;
  const file = { path: ORIGIN, folder: process.cwd(), values };
  return withKeysOfFile(resolveConfig({ flags: {}, env: { PADDOCK_HOME }, file }));
}
