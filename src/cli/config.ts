import { homedir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import * as v from 'valibot';

const integer = (min: number, max: number) => {
  const message = `must be an integer between ${min} and ${max}`;
  return v.pipe(
    v.union([v.number(), v.string()], message),
    v.transform(Number),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};

const keys = v.array(v.pipe(v.string(), v.nonEmpty('must not be empty')));

/** What `paddock serve` can be told, as flags or environment variables. */
export const serveConfigSchema = v.object({
  host: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  port: integer(0, 65535),
  models: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  backend: v.picklist(['auto', 'gpu', 'cpu', 'wasm'], 'must be one of auto, gpu, cpu, wasm'),
  apiKey: v.optional(keys, []),
  auth: v.boolean(),
  corsOrigin: v.optional(keys, []),
  contentFilter: v.optional(keys, []),
  slots: integer(1, 256),
  ctxLen: v.optional(integer(8, 16_777_216)),
  threads: v.optional(integer(1, 1024)),
  batch: integer(1, 65536),
  queue: integer(0, 65536),
  bodyLimit: integer(1024, 1024 ** 3),
  logLevel: v.picklist(['debug', 'info', 'warn', 'error', 'silent'], 'must be one of debug, info, warn, error, silent'),
});

export type ServeConfig = v.InferOutput<typeof serveConfigSchema>;

const collect = (value: string, previous: string[] = []) => [...previous, value];

/** The flags of `paddock serve`, their environment variables and their defaults. */
export function serveOptions(): Option[] {
  return [
    new Option('--host <host>', 'address to listen on').env('PADDOCK_HOST').default('127.0.0.1'),
    new Option('--port <port>', 'port to listen on; 0 picks a free one').env('PADDOCK_PORT').default(1337),
    new Option('--models <dir>', 'folder of GGUF files to serve').env('PADDOCK_MODELS').default(defaultModelsFolder()),
    new Option('--backend <name>', 'auto, gpu, cpu or wasm').env('PADDOCK_BACKEND').default('auto'),
    new Option(
      '--api-key <key>',
      'a key that clients must send; repeatable (PADDOCK_API_KEYS: comma-separated)',
    ).argParser(collect),
    new Option('--no-auth', 'listen beyond this machine without any key').env('PADDOCK_NO_AUTH'),
    new Option(
      '--cors-origin <origin>',
      'web origin that may call besides this machine, * for any; repeatable (PADDOCK_CORS_ORIGINS: comma-separated)',
    ).argParser(collect),
    new Option(
      '--content-filter <text>',
      'text that ends a reply with content_filter, in any case; repeatable (PADDOCK_CONTENT_FILTER: comma-separated)',
    ).argParser(collect),
    new Option('--slots <n>', 'generations of one model at once').env('PADDOCK_SLOTS').default(4),
    new Option('--ctx-len <tokens>', "context window of one slot (default: the model's, at most 8192)").env(
      'PADDOCK_CTX_LEN',
    ),
    new Option('--threads <n>', 'CPU threads (default: the physical cores)').env('PADDOCK_THREADS'),
    new Option('--batch <tokens>', 'most tokens in one forward pass').env('PADDOCK_BATCH').default(512),
    new Option('--queue <n>', 'requests of one model that may wait for a slot').env('PADDOCK_QUEUE').default(512),
    new Option('--body-limit <bytes>', 'largest request body').env('PADDOCK_BODY_LIMIT').default(32 * 1024 * 1024),
    new Option('--log-level <level>', 'debug, info, warn, error or silent').env('PADDOCK_LOG_LEVEL').default('info'),
  ];
}

/** Validates what commander gathered. Throws an error whose message names the flag and what it must be. */
export function parseServeConfig(options: Record<string, unknown>, env: NodeJS.ProcessEnv): ServeConfig {
  const result = v.safeParse(serveConfigSchema, {
    ...options,
    apiKey: options.apiKey ?? list(env.PADDOCK_API_KEYS),
    corsOrigin: options.corsOrigin ?? list(env.PADDOCK_CORS_ORIGINS),
    contentFilter: options.contentFilter ?? list(env.PADDOCK_CONTENT_FILTER),
  });
  if (!result.success) {
    const [issue] = result.issues;
    throw new Error(`--${toFlag(String(issue.path?.[0].key))} ${issue.message}`);
  }
  const config = result.output;
  if (!isLoopback(config.host) && config.apiKey.length === 0 && config.auth) {
    throw new Error(
      `--host ${config.host} is reachable from other machines: give an --api-key, or --no-auth to serve everyone without one`,
    );
  }
  return config;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function defaultModelsFolder(): string {
  return join(home(), 'models');
}

/** Where unfinished pulls lie. */
export function downloadsFolder(): string {
  return join(home(), 'downloads');
}

function home(): string {
  return process.env.PADDOCK_HOME ?? join(homedir(), '.paddock');
}

function list(value: string | undefined): string[] | undefined {
  return value
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function toFlag(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
