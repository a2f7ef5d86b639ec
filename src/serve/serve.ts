import { createApi } from '../api/api.ts';
import type { Api } from '../api/http/http.ts';
import type { ApiKeys } from '../api/keys/key.ts';
import { plainKeys } from '../api/keys/plain.ts';
import { createResponseStore } from '../api/responses/store.ts';
import { openBatches } from '../batches/folder.ts';
import { withAliases } from '../catalogue/aliases.ts';
import { builtInModelsFolder } from '../catalogue/node/built-in.ts';
import { type FileCatalogue, openCatalogue } from '../catalogue/node/catalogue.ts';
import { createRemover } from '../catalogue/node/remover.ts';
import { createServerFinder } from '../catalogue/pull/node/finder.ts';
import { createPuller } from '../catalogue/pull/node/puller.ts';
import type { Log } from '../contract/log.ts';
import type { Model } from '../contract/models/model.ts';
import { createMcpServers } from '../mcp/servers.ts';
import { MEDIA_LIMITS } from '../media/limits.ts';
import { createServerMediaReader } from '../media/node/reader.ts';
import { openCopies } from '../pool/copies/folders.ts';
import { identitiesOf } from '../pool/copies/identity.ts';
import { createPool, type Pool } from '../pool/pool.ts';
import { chooseHttp } from '../server/http.ts';
import { type Server, startHttpServer } from '../server/server.ts';
import { openStaticFiles } from '../server/static.ts';
import { listPaddockSite } from '../site-files.ts';
import { once } from '../utils/once.ts';
import { builtInCard, loadOnlyModel, type ReadyAhead } from './ahead.ts';
import { allowedHosts } from './config/exposure.ts';
import { othersMayRead } from './config/key-file.ts';
import { readMcpFile } from './config/mcp-file.ts';
import { checkModelsFolder } from './config/models-folder.ts';
import { placementOf } from './config/placement.ts';
import type { Config } from './config/settings.ts';
import { type Tls, tlsOf } from './config/tls.ts';
import { batchesFolder, copiesFolder, downloadsFolder, headerCacheFile } from './home.ts';
import { joinKeys, openKeyring } from './keys/keyring.ts';
import { explainListenFailure } from './listen-failure.ts';
import { measureMachine } from './machine.ts';
import { createPreload, preloadedIds } from './preload.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';
import { version } from './version.ts';

const PING_INTERVAL_MS = 10_000;
/** The longest time for the body of a request to arrive, in ms: enough for 32 MB over a slow connection. */
const BODY_TIME_MS = 120_000;
/**
 * The most bytes in the bodies of all requests that are not answered yet: eight bodies of the largest size that --body-limit allows by
 * default. JavaScript's heap holds each body as text and parsed besides, so more of them could exhaust it.
 */
const BODIES_IN_FLIGHT_BYTES = 256 * 1024 * 1024;

/** A server that runs in this process. */
export interface RunningPaddock {
  /** The server's URL, without a slash at the end; `unix:` and the path if it listens on a Unix socket. */
  url: string;
  /** Returns the ids of all models in the catalogue. */
  modelIds: () => Model['id'][];
  /**
   * Refuses new work, gives the running requests `graceMs` to end, and then frees the loaded models. For `lameDuckMs`, 0 by default,
   * connections are still accepted, so that clients get a 503 instead of a refused connection.
   */
  stop: (graceMs: number, lameDuckMs?: number) => Promise<void>;
}

/**
 * Connects all parts and starts the server. Throws a `UsageError` if the configuration names a missing or wrong file or model, and an
 * `Error` if the server can't listen on the address.
 *
 * @param ahead what is made ready for the first request; undefined for nothing
 */
export async function startPaddockServer(config: Config, log: Log, ahead?: ReadyAhead): Promise<RunningPaddock> {
  const opened = createOpened();
  try {
    return await start(config, log, opened, ahead);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The parts that a start has opened. They are closed when the server stops or when a later step of the start fails. */
interface Opened {
  add(close: () => PromiseLike<void>): void;
  /** Closes all parts, the last one first. */
  close(): Promise<void>;
}

function createOpened(): Opened {
  const closings: (() => PromiseLike<void>)[] = [];
  return {
    add: (close) => void closings.push(close),
    async close() {
      for (let close = closings.pop(); close; close = closings.pop()) await close();
    },
  };
}

async function start(config: Config, log: Log, opened: Opened, ahead?: ReadyAhead): Promise<RunningPaddock> {
  // The files of the page are listed while other parts open. Without a build, the API is served all the same, and `/` says how to make one.
  const site = listPaddockSite().catch(() => new Map<string, string>());
  const tls = tlsOf(config);
  if (tls) warnOfEnd(tls, log);
  if (config.apiKeyFile !== undefined && othersMayRead(config.apiKeyFile))
    log.warn('other users of this machine can read the file of API keys', { file: config.apiKeyFile });
  const apiKeys = openKeys(config, log);
  const mcp = createMcpServers(config.mcp === undefined ? [] : readMcpFile(config.mcp, process.env), { version, log });
  opened.add(() => mcp[Symbol.asyncDispose]());
  checkModelsFolder(config.models);
  const catalogue = await openCatalogue([config.models, builtInModelsFolder], log, headerCacheFile());
  opened.add(() => catalogue[Symbol.asyncDispose]());
  const named = withAliases(catalogue, config.alias);
  const preloaded = preloadedIds(config.preload, named);
  const telemetry = await startTelemetry(config, log);
  opened.add(() => telemetry.end());
  const pool = await openPool(config, preloaded, catalogue, telemetry, log, ahead);
  opened.add(() => pool[Symbol.asyncDispose]());
  const leaving = new AbortController();
  if (ahead?.loads) void loadOnlyModel(catalogue, pool, leaving.signal);
  const batches = await openBatches({ folder: config.noBatches ? null : batchesFolder(), log });
  opened.add(() => batches[Symbol.asyncDispose]());
  const preload = createPreload(preloaded, pool, log);
  const api = createApi({
    leaving: leaving.signal,
    unready: preload.unready,
    observer: telemetry.observer,
    metrics: () => telemetry.text(pool, !leaving.signal.aborted && preload.unready() === null, batches.openRequests()),
    catalogue: named,
    runner: pool,
    puller: telemetry.counted(
      createPuller({
        modelsFolder: config.models,
        downloadsFolder: downloadsFolder(),
        env: process.env,
        allowPrivate: config.allowPrivateSources,
        refresh: catalogue.refresh,
        log,
      }),
    ),
    finder: createServerFinder({ env: process.env, allowPrivate: config.allowPrivateSources }),
    remover: createRemover(config.models, catalogue, log),
    machine: once(() => measureMachine(config)),
    responses: createResponseStore(),
    batches: batches.get,
    mcp,
    apiKeys,
    noteUnknownFields: logOnce(log),
    log,
    ...apiSettings(config),
  });
  const server = await listen(config, api, await site, tls, log);

  void preload.run(leaving.signal);
  const slots = () => Math.max(0, ...pool.loaded().map(({ engine }) => engine.slots));
  batches.start({ api, keys: apiKeys, slots });
  const { host, socket } = config;
  return {
    url: socket === undefined ? toUrl(tls ? 'https' : 'http', host, server.port) : `unix:${socket}`,
    modelIds: () => catalogue.list().map(({ id }) => id),
    async stop(graceMs, lameDuckMs) {
      leaving.abort();
      await batches[Symbol.asyncDispose]();
      await server.close(graceMs, lameDuckMs);
      await opened.close();
    },
  };
}

/** Returns the settings that the API takes from the configuration without change. */
function apiSettings(config: Config) {
  return {
    metricsOpen: config.openMetrics,
    logPrompts: config.logPrompts,
    media: createServerMediaReader({
      allowPrivate: config.allowPrivateMedia,
      limits: { ...MEDIA_LIMITS, fileBytes: config.mediaLimit },
    }),
    pages: { origins: config.corsOrigin, local: config.localPages },
    contentFilter: config.contentFilter,
    pingIntervalMs: PING_INTERVAL_MS,
    systemFingerprint: `paddock-${version}`,
  };
}

async function openPool(
  config: Config,
  pinned: string[],
  catalogue: FileCatalogue,
  telemetry: Telemetry,
  log: Log,
  ahead: ReadyAhead | undefined,
): Promise<Pool> {
  const copies = config.noCache ? null : await openCopies(copySettings(config), isCurrentFor(catalogue), log);
  return createPool({
    copies,
    backend: config.backend,
    engine: {
      contextLength: config.ctxLen ?? null,
      slots: config.slots ?? null,
      threads: config.threads ?? null,
      batchSize: config.batch ?? null,
      flashAttention: config.flashAttention,
      kvType: config.kvType,
      ...placementOf(config),
      oneByOne: config.oneByOne,
      stockKernels: config.stockKernels,
    },
    maxWaiting: config.queue,
    maxLoadedModels: config.maxLoadedModels ?? null,
    idleTimeoutMs: config.idleTimeout === 0 ? null : config.idleTimeout * 1000,
    pinned,
    isolateKeys: config.isolateKeys,
    firstTemplate: ahead && builtInCard(catalogue)?.settings.prompt_template,
    observer: telemetry.pool,
    sourceOf: catalogue.sourceOf,
    log,
  });
}

async function listen(
  config: Config,
  api: Api,
  site: Map<string, string>,
  tls: Tls | undefined,
  log: Log,
): Promise<Server> {
  const { host, port, socket } = config;
  const bodyLimits = {
    bytes: config.bodyLimit,
    inFlightBytes: Math.max(BODIES_IN_FLIGHT_BYTES, config.bodyLimit),
    timeMs: BODY_TIME_MS,
  };
  const files = openStaticFiles(site);
  const http = chooseHttp();
  if (http.reason !== null)
    log.warn(`${http.name} serves HTTP, which takes more of the processor than uWebSockets.js`, {
      reason: http.reason,
    });
  const options = { api, files, host, port, socket, tls, allowedHosts: allowedHosts(config), bodyLimits, http };
  return startHttpServer(options).catch(async (error: unknown) => {
    throw socket === undefined ? await explainListenFailure(host, port, error) : error;
  });
}

/** Returns the keys of the configuration and of the file of keys with limits. Throws a `UsageError` if that file is missing or wrong. */
function openKeys(config: Config, log: Log): ApiKeys {
  const plain = plainKeys(config.apiKey);
  return config.keys === undefined ? plain : joinKeys(plain, openKeyring(config.keys, log));
}

function copySettings({ cacheRam, cacheDisk }: Config) {
  return { folder: copiesFolder(), ram: cacheRam, disk: cacheDisk };
}

/** Returns a function that is true for the identities of models in the catalogue, with their present files. */
function isCurrentFor(catalogue: FileCatalogue): (identity: string) => boolean {
  const sources = catalogue.list().flatMap(({ id }) => catalogue.sourceOf(id) ?? []);
  const identities = new Set(sources.flatMap(identitiesOf));
  return (identity) => identities.has(identity);
}

/** Returns the URL of a server. IPv6 addresses get brackets. */
function toUrl(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A certificate that expires within this time, in ms, is logged. Automatic renewal usually comes a month before the end. */
const LATE_MS = 14 * 24 * 60 * 60 * 1000;

function warnOfEnd({ cert, validTo }: Tls, log: Log): void {
  const leftMs = validTo.getTime() - Date.now();
  if (leftMs < LATE_MS)
    log.warn(leftMs < 0 ? 'the TLS certificate has expired' : 'the TLS certificate expires soon', {
      file: cert,
      validTo: validTo.toISOString(),
    });
}

/** The most names of unknown fields that are logged and remembered, since clients may invent any. */
const MOST_FIELDS_TOLD = 100;

/** Returns a function that logs each unknown request field once, however many requests have it. */
function logOnce(log: Log): (fields: string[]) => void {
  const seen = new Set<string>();
  return (fields) => {
    for (const field of fields) {
      if (seen.size >= MOST_FIELDS_TOLD) return;
      if (seen.has(field)) continue;
      seen.add(field);
      log.info('a request has a field that means nothing here', { field: field.slice(0, 64) });
    }
  };
}
