import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer, RequestRecord } from '../api/record.ts';
import type { LoadedModel, MovingModel } from '../contract/residency.ts';
import type { PoolObserver } from '../pool/observer.ts';
import { BUCKETS } from './buckets.ts';
import { createBoundedLabel } from './labels.ts';
import { createRequestCounts } from './request-counts.ts';

/** The state that a scrape reports. It is read only when `/metrics` is requested. */
export interface ScrapedState {
  loaded: LoadedModel[];
  moving: MovingModel[];
  ready: boolean;
  /** The memory that is available for models, in bytes. */
  availableMemory: number;
  /** The requests of batches without an answer. */
  batchRequests: number;
}

/** The metrics of a server. */
export interface Metrics {
  observer: Observer;
  pool: PoolObserver;
  /** Counts a pull that has ended. */
  pulled(outcome: 'ok' | 'failed' | 'cancelled'): void;
  /** Returns all metrics in Prometheus's text format. */
  text(state: ScrapedState): Promise<string>;
}

/** The most models with series of their own. All further models share the series named `other`. */
const MOST_MODELS = 200;
/** The most sets of labels by which requests are counted. */
const MOST_REQUEST_SERIES = 5000;
const MS = 1000;

type Instruments = ReturnType<typeof createInstruments>;

/** Makes the metrics of a server of this version. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  const label = createBoundedLabel(MOST_MODELS);
  const requests = createRequestCounts(MOST_REQUEST_SERIES, label);
  const pieces = new Map<string, { observe(seconds: number): void }>();
  instruments.build.set({ version, node: process.version }, 1);

  return {
    observer: {
      piece(model, ms) {
        let histogram = pieces.get(model);
        if (!histogram) {
          histogram = instruments.betweenTokens.labels({ model: label(model) });
          pieces.set(model, histogram);
        }
        histogram.observe(ms / MS);
      },
      ended(record) {
        requests.add(record);
        if (record.promptTokens > 0) countGeneration(instruments, record, label(record.trace.model ?? ''));
      },
    },

    pool: poolObserver(instruments, label),

    pulled: (outcome) => instruments.pulls.inc({ outcome }),

    text(state) {
      instruments.requests.reset();
      requests.each((labels, count) => instruments.requests.inc(labels, count));
      readState(instruments, state, label);
      return registry.metrics();
    },
  };
}

function countGeneration(instruments: Instruments, record: RequestRecord, model: string): void {
  const { promptTokens, cachedTokens, completionTokens, firstPiece, began, ended } = record;
  const key = record.key?.name ?? '';
  instruments.promptTokens.inc({ model, key }, promptTokens);
  instruments.cachedTokens.inc({ model, key }, cachedTokens);
  instruments.generatedTokens.inc({ model, key }, completionTokens);
  if (firstPiece === 0) return;
  instruments.firstToken.observe({ model }, (firstPiece - began) / MS);
  instruments.duration.observe({ model }, (ended - began) / MS);
}

function poolObserver(instruments: Instruments, label: (model: string) => string): PoolObserver {
  return {
    loaded(id, ms) {
      const model = label(id);
      instruments.loads.inc({ model, outcome: 'ok' });
      instruments.loadTime.observe({ model }, ms / MS);
    },
    loadFailed: (id) => instruments.loads.inc({ model: label(id), outcome: 'failed' }),
    loadGivenUp: (id) => instruments.loads.inc({ model: label(id), outcome: 'cancelled' }),
    unloaded: (id, reason) => instruments.unloads.inc({ model: label(id), reason }),
    waited: (id, ms) => instruments.queueWait.observe({ model: label(id) }, ms / MS),
    engineDied: (id) => instruments.deaths.inc({ model: label(id) }),
    engineStuck: (id) => instruments.stuck.inc({ model: label(id) }),
    tookOver: (id) => instruments.takeovers.inc({ model: label(id) }),
  };
}

/** Sets the gauges. The gauges that load balancers read have a value even while no model is loaded. */
function readState(instruments: Instruments, state: ScrapedState, label: (model: string) => string): void {
  const { loaded, moving } = state;
  const perModel = [
    instruments.waiting,
    instruments.running,
    instruments.kvUse,
    instruments.slots,
    instruments.context,
    instruments.memory,
  ];
  for (const gauge of perModel) gauge.reset();
  for (const { id, engine, memory, busy, waiting, heldTokens = 0 } of loaded) {
    const model = label(id);
    const { slots, contextLength, backend } = engine;
    instruments.waiting.inc({ model }, waiting);
    instruments.running.inc({ model }, busy);
    instruments.kvUse.set({ model }, Math.min(1, heldTokens / (slots * contextLength)));
    instruments.slots.set({ model }, slots);
    instruments.context.set({ model }, contextLength);
    instruments.memory.set({ model, tier: backend === 'gpu' ? 'vram' : 'ram' }, memory);
  }
  for (const { id, waiting } of moving) {
    const model = label(id);
    instruments.waiting.inc({ model }, waiting);
    instruments.running.inc({ model }, 0);
    instruments.kvUse.inc({ model }, 0);
  }
  if (loaded.length + moving.length === 0) {
    for (const gauge of [instruments.waiting, instruments.running, instruments.kvUse]) gauge.set({ model: '' }, 0);
  }
  const counts = { loaded: loaded.length, loading: 0, queued: 0, unloading: 0 };
  for (const { state } of moving) counts[state] += 1;
  for (const [state, count] of Object.entries(counts)) instruments.models.set({ state }, count);
  instruments.ready.set(state.ready ? 1 : 0);
  instruments.available.set({ tier: 'ram' }, state.availableMemory);
  instruments.batchRequests.set(state.batchRequests);
  readProcess(instruments);
}

function readProcess({ resident, cpu, start, loop }: Instruments): void {
  const { user, system } = process.cpuUsage();
  resident.set(process.memoryUsage.rss());
  cpu.reset();
  cpu.inc((user + system) / 1e6);
  start.set(Math.round(Date.now() / MS - process.uptime()));
  loop.set(performance.eventLoopUtilization().utilization);
}

function createInstruments(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers });

  return {
    requests: counter('paddock_requests_total', 'Requests that were answered.', [
      'method',
      'route',
      'model',
      'key',
      'status',
    ]),
    promptTokens: counter('paddock_prompt_tokens_total', 'Tokens of prompts.', ['model', 'key']),
    cachedTokens: counter('paddock_cached_tokens_total', 'Tokens of prompts that were in the KV cache already.', [
      'model',
      'key',
    ]),
    generatedTokens: counter('paddock_generated_tokens_total', 'Tokens of replies.', ['model', 'key']),
    firstToken: histogram(
      'paddock_time_to_first_token_seconds',
      'From the request to the first piece of its reply.',
      ['model'],
      BUCKETS.firstToken,
    ),
    betweenTokens: histogram(
      'paddock_inter_token_latency_seconds',
      'Between a piece of a reply and the next one. Nearly all pieces are one token.',
      ['model'],
      BUCKETS.betweenTokens,
    ),
    duration: histogram(
      'paddock_request_duration_seconds',
      'From the request to the end of its reply, of generations.',
      ['model'],
      BUCKETS.request,
    ),
    queueWait: histogram(
      'paddock_queue_wait_seconds',
      'For which requests waited for a slot of a loaded model.',
      ['model'],
      BUCKETS.queue,
    ),
    loadTime: histogram(
      'paddock_model_load_seconds',
      'From the first request for a model until it is loaded, the wait for room included.',
      ['model'],
      BUCKETS.load,
    ),
    loads: counter('paddock_model_loads_total', 'Loads of models.', ['model', 'outcome']),
    unloads: counter('paddock_model_unloads_total', 'Unloads of models; for the reason room, evictions.', [
      'model',
      'reason',
    ]),
    deaths: counter('paddock_engine_deaths_total', 'Engines that died.', ['model']),
    takeovers: counter('paddock_takeovers_total', 'Generations that another engine took up.', ['model']),
    stuck: counter('paddock_watchdog_kills_total', 'Engines that the watchdog ended since they were stuck.', ['model']),
    pulls: counter('paddock_pulls_total', 'Pulls that have ended.', ['outcome']),
    waiting: gauge('paddock_requests_waiting', 'Requests that wait for a model or for a slot of it.', ['model']),
    running: gauge('paddock_requests_running', 'Slots that requests hold.', ['model']),
    kvUse: gauge(
      'paddock_kv_cache_usage_ratio',
      'Share of the KV cache that running requests use, from 0 to 1. What idle slots keep for later is free.',
      ['model'],
    ),
    slots: gauge('paddock_slots', 'Generations that a model can run at once.', ['model']),
    context: gauge('paddock_context_length_tokens', 'The context window of a slot.', ['model']),
    memory: gauge('paddock_model_memory_bytes', 'Estimated memory of a loaded model, weights and cache.', [
      'model',
      'tier',
    ]),
    available: gauge('paddock_memory_available_bytes', 'Memory that can be had for models.', ['tier']),
    models: gauge('paddock_models', 'Models in memory, on their way, or waiting for room.', ['state']),
    batchRequests: gauge('paddock_batch_requests_open', 'Requests of batches that have no answer yet.', []),
    ready: gauge('paddock_ready', '1 while the server takes work, as /ready tells it.', []),
    build: gauge('paddock_build_info', 'Always 1. The labels tell what runs.', ['version', 'node']),
    resident: gauge('process_resident_memory_bytes', 'Resident memory of the server, without its engines.', []),
    cpu: counter('process_cpu_seconds_total', 'Processor time of the server, without its engines.', []),
    start: gauge('process_start_time_seconds', 'When the server was started, in Unix time.', []),
    loop: gauge('nodejs_eventloop_utilization_ratio', 'Share of its life for which the event loop was busy.', []),
  };
}
