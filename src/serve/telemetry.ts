import type { Observer } from '../api/record.ts';
import type { Log } from '../contract/log.ts';
import type { Puller } from '../contract/models/puller.ts';
import type { PoolObserver } from '../pool/observer.ts';
import type { Pool } from '../pool/pool.ts';
import { createAccessLog } from '../telemetry/access-log.ts';
import { countPulls } from '../telemetry/count-pulls.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { withVllmNames } from '../telemetry/vllm-names.ts';
import type { Config } from './config/settings.ts';
import { version } from './version.ts';

/** The metrics, the access log and, if a collector is configured, the traces of a server. */
export interface Telemetry {
  observer: Observer;
  pool: PoolObserver;
  /** Returns the metrics in Prometheus's text format. `batchRequests` is the number of requests that batches still have to ask. */
  text(pool: Pick<Pool, 'loaded' | 'moving' | 'memory'>, ready: boolean, batchRequests: number): Promise<string>;
  /** Returns a puller whose pulls are counted. */
  counted(puller: Puller): Puller;
  /** Sends the remaining traces, for a second at most. */
  end(): Promise<void>;
}

/** Starts the telemetry of a server. */
export async function startTelemetry({ otlpEndpoint, vllmMetrics, logLevel }: Config, log: Log): Promise<Telemetry> {
  const metrics = createMetrics(version);
  const logRequest = createAccessLog(log, logLevel);
  // Imported on demand: few servers have a collector, and the packages are large.
  const traces =
    otlpEndpoint === undefined
      ? null
      : await import('../telemetry/traces.ts').then(({ startTraces }) => startTraces(otlpEndpoint, version, log));
  return {
    observer: {
      piece: metrics.observer.piece,
      ended(record) {
        metrics.observer.ended(record);
        logRequest?.(record);
        traces?.tell(record);
      },
    },
    pool: metrics.pool,
    async text(pool, ready, batchRequests) {
      const availableMemory = pool.memory().available;
      const state = { loaded: pool.loaded(), moving: pool.moving(), ready, availableMemory, batchRequests };
      const text = await metrics.text(state);
      return vllmMetrics ? withVllmNames(text, state) : text;
    },
    counted: (puller) => countPulls(puller, metrics.pulled),
    end: async () => traces?.end(),
  };
}
