import { builtInModelsFolder } from '../catalogue/node/built-in.ts';
import { openCatalogue } from '../catalogue/node/catalogue.ts';
import { createRemover } from '../catalogue/node/remover.ts';
import { createPuller } from '../catalogue/pull/node/puller.ts';
import { createApi } from '../core/api/api.ts';
import type { Log } from '../core/log.ts';
import type { Model } from '../core/model.ts';
import { MEDIA_LIMITS } from '../media/limits.ts';
import { createServerMediaReader } from '../media/node/reader.ts';
import { createPool } from '../pool/pool.ts';
import { startServer } from '../server/server.ts';
import { openStaticFiles } from '../server/static.ts';
import { listPaddockSite } from '../site-files.ts';
import type { Config } from './config/settings.ts';
import { downloadsFolder, headerCacheFile } from './home.ts';
import { explainListenFailure } from './listen-failure.ts';
import { version } from './version.ts';

/** Time that running requests get to end when the server stops, in ms. */
export const SHUTDOWN_GRACE_MS = 10_000;
const PING_INTERVAL_MS = 10_000;

/** A server that runs in this process. */
export interface RunningPaddock {
  /** The server's URL, without a slash at the end. */
  url: string;
  /** Returns the ids of all models in the catalogue. */
  modelIds: () => Model['id'][];
  /** Takes no more requests, gives the running ones `graceMs` to end, then frees the loaded models. */
  stop: (graceMs: number) => Promise<void>;
}

/** Connects all parts and starts the server. Throws if it can't listen on the address. */
export async function startPaddock(config: Config, log: Log): Promise<RunningPaddock> {
  const catalogue = await openCatalogue([config.models, builtInModelsFolder], log, headerCacheFile());
  const pool = createPool({
    backend: config.backend,
    engine: {
      contextLength: config.ctxLen ?? null,
      slots: config.slots,
      threads: config.threads ?? null,
      batchSize: config.batch,
    },
    maxWaiting: config.queue,
    maxLoadedModels: config.maxLoadedModels ?? null,
    idleTimeoutMs: config.idleTimeout === 0 ? null : config.idleTimeout * 1000,
    sourceOf: catalogue.sourceOf,
    log,
  });
  const close = async () => {
    await pool[Symbol.asyncDispose]();
    await catalogue[Symbol.asyncDispose]();
  };
  const api = createApi({
    catalogue,
    runner: pool,
    puller: createPuller({
      modelsFolder: config.models,
      downloadsFolder: downloadsFolder(),
      env: process.env,
      refresh: catalogue.refresh,
      log,
    }),
    media: createServerMediaReader({
      allowPrivate: config.allowPrivateMedia,
      limits: { ...MEDIA_LIMITS, fileBytes: config.mediaLimit },
    }),
    remover: createRemover(config.models, catalogue, log),
    apiKeys: config.apiKey,
    corsOrigins: config.corsOrigin,
    contentFilter: config.contentFilter,
    pingIntervalMs: PING_INTERVAL_MS,
    systemFingerprint: `paddock-${version}`,
    noteUnknownFields: logOnce(log),
    log,
  });
  const { host, port, bodyLimit } = config;
  // If the site is not built, the API is served all the same, and its page says what is missing.
  const files = openStaticFiles(await listPaddockSite().catch(() => new Map()));
  const server = await startServer({ api, files, host, port, bodyLimitBytes: bodyLimit }).catch(
    async (error: unknown) => {
      await close();
      throw await explainListenFailure(host, port, error);
    },
  );

  return {
    url: toUrl(host, server.port),
    modelIds: () => catalogue.list().map(({ id }) => id),
    async stop(graceMs) {
      await server.close(graceMs);
      await close();
    },
  };
}

/** Makes the URL of a server. IPv6 addresses get brackets. */
function toUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Logs each unknown request field once, however many requests have it. */
function logOnce(log: Log): (fields: string[]) => void {
  const seen = new Set<string>();
  return (fields) => {
    // The number is limited, since clients choose the names.
    for (const field of fields.filter((name) => !seen.has(name) && seen.size < 100)) {
      seen.add(field);
      log.info('a request has a field that means nothing here', { field: field.slice(0, 64) });
    }
  };
}
