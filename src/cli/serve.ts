import { builtInModelsFolder } from '../catalogue/built-in.ts';
import { openCatalogue } from '../catalogue/catalogue.ts';
import { createPuller } from '../catalogue/pull/puller.ts';
import { createApi } from '../core/api/api.ts';
import type { Log } from '../core/log.ts';
import { createPool } from '../pool/pool.ts';
import { startServer } from '../server/server.ts';
import { downloadsFolder, type ServeConfig } from './config.ts';
import { createLog } from './log.ts';
import { version } from './version.ts';

const PING_INTERVAL_MS = 10_000;
const SHUTDOWN_GRACE_MS = 10_000;

/** `paddock serve`: puts the parts together and runs until it is told to stop. */
export async function serve(config: ServeConfig): Promise<void> {
  const log = createLog(config.logLevel);
  const catalogue = await openCatalogue([config.models, builtInModelsFolder], log);
  const pool = createPool({
    backend: config.backend,
    engine: {
      contextLength: config.ctxLen ?? null,
      slots: config.slots,
      threads: config.threads ?? null,
      batchSize: config.batch,
    },
    maxWaiting: config.queue,
    sourceOf: catalogue.sourceOf,
    log,
  });
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
    apiKeys: config.apiKey,
    corsOrigins: config.corsOrigin,
    contentFilter: config.contentFilter,
    pingIntervalMs: PING_INTERVAL_MS,
    systemFingerprint: `paddock-${version}`,
    noteUnknownFields: logOnce(log),
    log,
  });
  const server = await startServer({ api, host: config.host, port: config.port, bodyLimitBytes: config.bodyLimit });

  const stop = async (signal: string) => {
    process.once(signal, () => process.exit(1));
    log.info('stopping: running requests may finish', { signal, graceMs: SHUTDOWN_GRACE_MS });
    await server.close(SHUTDOWN_GRACE_MS);
    await pool[Symbol.asyncDispose]();
    await catalogue[Symbol.asyncDispose]();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(signal));

  const ids = catalogue.list().map(({ id }) => id);
  log.info('models', { folder: config.models, ids });
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  process.stdout.write(`Paddock is ready on http://${host}:${server.port}\n`);
}

/** Tells of each unknown request field once, whatever the number of requests that bear it. */
function logOnce(log: Log): (fields: string[]) => void {
  const seen = new Set<string>();
  return (fields) => {
    // Bounded, since a client chooses the names.
    for (const field of fields.filter((name) => !seen.has(name) && seen.size < 100)) {
      seen.add(field);
      log.info('a request has a field that means nothing here', { field: field.slice(0, 64) });
    }
  };
}
