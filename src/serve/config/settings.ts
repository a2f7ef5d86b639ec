import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as v from 'valibot';
import { DEFAULT_BATCH, GPU_BATCH } from '../../engine/batch-size.ts';
import { ALL_EXPERTS, KV_TYPES, type KvType, MOST_GPUS, SPLIT_MODES, type SplitMode } from '../../engine/engine.ts';
import { MEDIA_LIMITS } from '../../media/limits.ts';
import { defaultKeysFile, paddockHome } from '../home.ts';
import {
  aliasListSetting,
  backendSetting,
  integerSetting,
  kvTypeSetting,
  logFormatSetting,
  logLevelSetting,
  reachSetting,
  sharesSetting,
  splitModeSetting,
  switchSetting,
  textListSetting,
  textSetting,
  urlSetting,
} from './values.ts';

/** The longest delay of a timer, in seconds. */
const LONGEST_TIMEOUT_S = Math.floor((2 ** 31 - 1) / 1000);

/** A setting. It can be given as a flag, as an environment variable, or by its key in the configuration file. */
export interface Setting<T> {
  /** The flag in commander's notation. */
  flags: string;
  env: string;
  description: string;
  schema: v.GenericSchema<unknown, T>;
  /** Returns the value if the setting is given nowhere. */
  fallback: (env: NodeJS.ProcessEnv) => T;
  /** Shown in the help instead of the default. */
  fallbackText?: string;
  /** The flag may be repeated. In the variable, commas separate the items. */
  list?: true;
  /**
   * The value is a path. `~/` stands for the user's home, and relative paths in the file start from the file's folder.
   */
  path?: true;
}

function setting<T>(given: Setting<T>): Setting<T> {
  return given;
}

/** All settings by their keys in the configuration file, which are the flags' names in camelCase. */
export const SETTINGS = {
  host: setting<string>({
    flags: '--host <host>',
    env: 'PADDOCK_HOST',
    description: 'address to listen on',
    schema: textSetting,
    fallback: () => '127.0.0.1',
  }),
  port: setting<number>({
    flags: '--port <port>',
    env: 'PADDOCK_PORT',
    description: 'port to listen on; 0 picks a free one',
    schema: integerSetting(0, 65535),
    fallback: () => 1337,
  }),
  socket: setting<string | undefined>({
    flags: '--socket <file>',
    env: 'PADDOCK_SOCKET',
    description: 'Unix socket to listen on, in place of --host and --port',
    schema: textSetting,
    fallback: () => undefined,
    fallbackText: 'none',
    path: true,
  }),
  tlsCert: setting<string | undefined>({
    flags: '--tls-cert <file>',
    env: 'PADDOCK_TLS_CERT',
    description: 'certificate in PEM, and those up to its root, to speak HTTPS with',
    schema: textSetting,
    fallback: () => undefined,
    fallbackText: 'none',
    path: true,
  }),
  tlsKey: setting<string | undefined>({
    flags: '--tls-key <file>',
    env: 'PADDOCK_TLS_KEY',
    description: 'private key of --tls-cert in PEM, without a passphrase',
    schema: textSetting,
    fallback: () => undefined,
    fallbackText: 'none',
    path: true,
  }),
  models: setting<string>({
    flags: '--models <dir>',
    env: 'PADDOCK_MODELS',
    description: 'folder of GGUF models, subfolders included',
    schema: textSetting,
    fallback: (env) => join(paddockHome(env), 'models'),
    fallbackText: '~/.paddock/models',
    path: true,
  }),
  backend: setting<'auto' | 'gpu' | 'cpu' | 'wasm'>({
    flags: '--backend <name>',
    env: 'PADDOCK_BACKEND',
    description: 'auto (the GPU, else the CPU, else WebAssembly), gpu, cpu or wasm',
    schema: backendSetting,
    fallback: () => 'auto',
  }),
  apiKey: setting<string[]>({
    flags: '--api-key <key>',
    env: 'PADDOCK_API_KEYS',
    description: 'a key that clients must send; other users of this machine see it, unlike those of --api-key-file',
    schema: textListSetting,
    fallback: () => [],
    list: true,
  }),
  apiKeyFile: setting<string | undefined>({
    flags: '--api-key-file <file>',
    env: 'PADDOCK_API_KEY_FILE',
    description: 'file of keys that clients must send, one per line; # begins a comment',
    schema: textSetting,
    fallback: () => undefined,
    fallbackText: 'none',
    path: true,
  }),
  keys: setting<string | undefined>({
    flags: '--keys <file>',
    env: 'PADDOCK_KEYS',
    description: 'file of keys with limits, which paddock key makes',
    schema: textSetting,
    fallback: (env) => (existsSync(defaultKeysFile(env)) ? defaultKeysFile(env) : undefined),
    fallbackText: '~/.paddock/keys.json, if it is there',
    path: true,
  }),
  mcp: setting<string | undefined>({
    flags: '--mcp <file>',
    env: 'PADDOCK_MCP',
    description: 'file of MCP servers whose tools the server runs for requests that ask for them',
    schema: textSetting,
    fallback: () => undefined,
    fallbackText: 'none',
    path: true,
  }),
  isolateKeys: setting<boolean>({
    flags: '--isolate-keys',
    env: 'PADDOCK_ISOLATE_KEYS',
    description: 'share no cached prompts between keys, so that not even the time tells what others have asked',
    schema: switchSetting,
    fallback: () => false,
  }),
  noAuth: setting<boolean>({
    flags: '--no-auth',
    env: 'PADDOCK_NO_AUTH',
    description: 'serve other machines without any key',
    schema: switchSetting,
    fallback: () => false,
  }),
  corsOrigin: setting<string[]>({
    flags: '--cors-origin <origin>',
    env: 'PADDOCK_CORS_ORIGINS',
    description: 'web origin whose pages may use the API and manage models; * lets the pages of all others ask models',
    schema: textListSetting,
    fallback: () => [],
    list: true,
  }),
  localPages: setting<'none' | 'inference' | 'all'>({
    flags: '--local-pages <reach>',
    env: 'PADDOCK_LOCAL_PAGES',
    description:
      'what pages of other programs on localhost may do: none, inference (no load, unload, pull, import or removal of models) or all',
    schema: reachSetting,
    fallback: () => 'inference',
  }),
  allowedHost: setting<string[]>({
    flags: '--allowed-host <name>',
    env: 'PADDOCK_ALLOWED_HOSTS',
    description: "host name, besides this machine's own, that requests may be addressed to; * for any",
    schema: textListSetting,
    fallback: () => [],
    list: true,
  }),
  contentFilter: setting<string[]>({
    flags: '--content-filter <text>',
    env: 'PADDOCK_CONTENT_FILTER',
    description: 'text that ends a reply with content_filter, in upper or lower case',
    schema: textListSetting,
    fallback: () => [],
    list: true,
  }),
  slots: setting<number | undefined>({
    flags: '--slots <n>',
    env: 'PADDOCK_SLOTS',
    description: 'generations of one model at once',
    schema: integerSetting(1, 256),
    fallback: () => undefined,
    fallbackText: 'as memory allows, 16 to 1; 4 on WebAssembly',
  }),
  ctxLen: setting<number | undefined>({
    flags: '--ctx-len <tokens>',
    env: 'PADDOCK_CTX_LEN',
    description: 'context window of one slot',
    schema: integerSetting(8, 16_777_216),
    fallback: () => undefined,
    fallbackText: 'what memory allows, at most the trained length; 4096 on WebAssembly',
  }),
  threads: setting<number | undefined>({
    flags: '--threads <n>',
    env: 'PADDOCK_THREADS',
    description: 'CPU threads',
    schema: integerSetting(1, 1024),
    fallback: () => undefined,
    fallbackText: 'the usable cores, or fewer where that is faster',
  }),
  batch: setting<number | undefined>({
    flags: '--batch <tokens>',
    env: 'PADDOCK_BATCH',
    description: 'most tokens in one forward pass',
    schema: integerSetting(1, 65536),
    fallback: () => undefined,
    fallbackText: `${DEFAULT_BATCH}, on a GPU ${GPU_BATCH}`,
  }),
  gpuLayers: setting<number | undefined>({
    flags: '--gpu-layers <n>',
    env: 'PADDOCK_GPU_LAYERS',
    description: 'layers on a GPU, the output layer included',
    schema: integerSetting(0, 65_536),
    fallback: () => undefined,
    fallbackText: 'as many as fit',
  }),
  cpuMoe: setting<boolean>({
    flags: '--cpu-moe',
    env: 'PADDOCK_CPU_MOE',
    description: "keep all experts of a mixture of experts in the machine's memory, and the rest on a GPU",
    schema: switchSetting,
    fallback: () => false,
  }),
  nCpuMoe: setting<number | undefined>({
    flags: '--n-cpu-moe <n>',
    env: 'PADDOCK_N_CPU_MOE',
    description: "layers, from the first on, whose experts stay in the machine's memory",
    schema: integerSetting(0, ALL_EXPERTS),
    fallback: () => undefined,
    fallbackText: 'as few as fit',
  }),
  splitMode: setting<SplitMode | undefined>({
    flags: '--split-mode <mode>',
    env: 'PADDOCK_SPLIT_MODE',
    description: `how several GPUs share a model: ${SPLIT_MODES.join(', ')}`,
    schema: splitModeSetting,
    fallback: () => undefined,
    fallbackText: 'layer',
  }),
  tensorSplit: setting<number[] | undefined>({
    flags: '--tensor-split <shares>',
    env: 'PADDOCK_TENSOR_SPLIT',
    description: 'shares of several GPUs in a model, as in 3,1',
    schema: sharesSetting,
    fallback: () => undefined,
    fallbackText: 'by their free memory',
  }),
  mainGpu: setting<number | undefined>({
    flags: '--main-gpu <n>',
    env: 'PADDOCK_MAIN_GPU',
    description: 'GPU that computes what is not split, by its number',
    schema: integerSetting(0, MOST_GPUS - 1),
    fallback: () => undefined,
    fallbackText: '0',
  }),
  flashAttention: setting<boolean | undefined>({
    flags: '--flash-attention <true|false>',
    env: 'PADDOCK_FLASH_ATTENTION',
    description: 'compute attention in one go in the native engine, without its matrix in memory',
    schema: switchSetting,
    fallback: () => undefined,
    fallbackText: 'where the backend can',
  }),
  kvType: setting<KvType | undefined>({
    flags: '--kv-type <format>',
    env: 'PADDOCK_KV_TYPE',
    description: `format of the KV cache in the native engine: ${KV_TYPES.join(', ')}`,
    schema: kvTypeSetting,
    fallback: () => undefined,
    fallbackText: 'f16',
  }),
  oneByOne: setting<boolean>({
    flags: '--one-by-one',
    env: 'PADDOCK_ONE_BY_ONE',
    description: 'sample every token by itself, without speculation and without skipping tokens that a grammar forces',
    schema: switchSetting,
    fallback: () => false,
  }),
  stockKernels: setting<boolean>({
    flags: '--stock-kernels',
    env: 'PADDOCK_STOCK_KERNELS',
    description: "compute with llama.cpp's own kernels on the CPU, without Paddock's",
    schema: switchSetting,
    fallback: () => false,
  }),
  maxLoadedModels: setting<number | undefined>({
    flags: '--max-loaded-models <n>',
    env: 'PADDOCK_MAX_LOADED_MODELS',
    description: 'models in memory at once; the least recently used one gives way',
    schema: integerSetting(1, 1024),
    fallback: () => undefined,
    fallbackText: 'as many as fit',
  }),
  alias: setting<string[]>({
    flags: '--alias <name=id>',
    env: 'PADDOCK_ALIASES',
    description: 'another name of a model, for programs that ask for a fixed one: gpt-4o-mini=qwen3:4b',
    schema: aliasListSetting,
    fallback: () => [],
    list: true,
  }),
  preload: setting<string[]>({
    flags: '--preload <model>',
    env: 'PADDOCK_PRELOAD',
    description: 'model to load at the start and to keep in memory: its id, an alias or qwen3:4b',
    schema: textListSetting,
    fallback: () => [],
    list: true,
  }),
  idleTimeout: setting<number>({
    flags: '--idle-timeout <seconds>',
    env: 'PADDOCK_IDLE_TIMEOUT',
    description: 'unload a model that nobody has used for this time; 0 never does',
    schema: integerSetting(0, LONGEST_TIMEOUT_S),
    fallback: () => 3600,
  }),
  queue: setting<number>({
    flags: '--queue <n>',
    env: 'PADDOCK_QUEUE',
    description: 'requests of one model that may wait for a slot',
    schema: integerSetting(0, 65536),
    fallback: () => 512,
  }),
  bodyLimit: setting<number>({
    flags: '--body-limit <bytes>',
    env: 'PADDOCK_BODY_LIMIT',
    description: 'largest request body',
    schema: integerSetting(1024, 1024 ** 3),
    fallback: () => 32 * 1024 * 1024,
  }),
  mediaLimit: setting<number>({
    flags: '--media-limit <bytes>',
    env: 'PADDOCK_MEDIA_LIMIT',
    description: 'largest file of an image or a recording',
    schema: integerSetting(1024, 1024 ** 3),
    fallback: () => MEDIA_LIMITS.fileBytes,
  }),
  allowPrivateMedia: setting<boolean>({
    flags: '--allow-private-media',
    env: 'PADDOCK_ALLOW_PRIVATE_MEDIA',
    description: 'fetch images from this machine and its private networks too',
    schema: switchSetting,
    fallback: () => false,
  }),
  allowPrivateSources: setting<boolean>({
    flags: '--allow-private-sources',
    env: 'PADDOCK_ALLOW_PRIVATE_SOURCES',
    description: 'pull models from this machine and its private networks too',
    schema: switchSetting,
    fallback: () => false,
  }),
  noCache: setting<boolean>({
    flags: '--no-cache',
    env: 'PADDOCK_NO_CACHE',
    description: 'keep no prompts beyond the slots, neither in RAM nor on disk',
    schema: switchSetting,
    fallback: () => false,
  }),
  cacheRam: setting<number | undefined>({
    flags: '--cache-ram <bytes>',
    env: 'PADDOCK_CACHE_RAM',
    description: 'most bytes of RAM for prompts kept from evicted slots; 0 for none',
    schema: integerSetting(0, 1024 ** 5),
    fallback: () => undefined,
    fallbackText: 'an eighth of the free memory, at most half of the free /dev/shm; none but on Linux',
  }),
  cacheDisk: setting<number | undefined>({
    flags: '--cache-disk <bytes>',
    env: 'PADDOCK_CACHE_DISK',
    description: 'most bytes on disk for prompts kept from evicted slots; 0 for none',
    schema: integerSetting(0, 1024 ** 5),
    fallback: () => undefined,
    fallbackText: 'a tenth of the free disk, at most 32 GiB',
  }),
  noBatches: setting<boolean>({
    flags: '--no-batches',
    env: 'PADDOCK_NO_BATCHES',
    description: 'keep no files of clients and run no batches',
    schema: switchSetting,
    fallback: () => false,
  }),
  lameDuck: setting<number>({
    flags: '--lame-duck <seconds>',
    env: 'PADDOCK_LAME_DUCK',
    description: 'after SIGTERM, answer for this time that no more work is taken, before connections are refused',
    schema: integerSetting(0, LONGEST_TIMEOUT_S),
    fallback: () => 2,
  }),
  shutdownGrace: setting<number>({
    flags: '--shutdown-grace <seconds>',
    env: 'PADDOCK_SHUTDOWN_GRACE',
    description: 'time of running requests to end after a signal; at least --lame-duck',
    schema: integerSetting(0, LONGEST_TIMEOUT_S),
    fallback: () => 10,
  }),
  openMetrics: setting<boolean>({
    flags: '--open-metrics',
    env: 'PADDOCK_OPEN_METRICS',
    description: 'let anybody read /metrics, without a key',
    schema: switchSetting,
    fallback: () => false,
  }),
  vllmMetrics: setting<boolean>({
    flags: '--vllm-metrics',
    env: 'PADDOCK_VLLM_METRICS',
    description: "tell the metrics under vLLM's names as well",
    schema: switchSetting,
    fallback: () => false,
  }),
  otlpEndpoint: setting<string | undefined>({
    flags: '--otlp-endpoint <url>',
    env: 'PADDOCK_OTLP_ENDPOINT',
    description: 'OpenTelemetry collector that gets a span of each request, as in http://127.0.0.1:4318',
    schema: urlSetting,
    fallback: (env) => env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined,
    fallbackText: 'none',
  }),
  logFormat: setting<'auto' | 'json' | 'pretty'>({
    flags: '--log-format <format>',
    env: 'PADDOCK_LOG_FORMAT',
    description: 'json, pretty, or auto: pretty on a terminal, else json',
    schema: logFormatSetting,
    fallback: () => 'auto',
  }),
  logPrompts: setting<boolean>({
    flags: '--log-prompts',
    env: 'PADDOCK_LOG_PROMPTS',
    description: 'write the prompts of replies into the log, which otherwise has no prompt',
    schema: switchSetting,
    fallback: () => false,
  }),
  logLevel: setting<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    flags: '--log-level <level>',
    env: 'PADDOCK_LOG_LEVEL',
    description: 'debug, info, warn, error or silent',
    schema: logLevelSetting,
    fallback: () => 'info',
  }),
};

export type SettingName = keyof typeof SETTINGS;

/** The complete, valid configuration. */
export type Config = { [K in SettingName]: ReturnType<(typeof SETTINGS)[K]['fallback']> };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
