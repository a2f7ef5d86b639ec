import type { BackendName } from '../contract/engine-info.ts';
import type { ModelSource } from '../engine/engine.ts';
import { estimateMemory, type MemoryEstimate } from '../engine/memory-estimate.ts';
import { planBackends } from '../pool/load/load-model.ts';
import { createMemoryGauge } from '../pool/load/memory-gauge.ts';
import { planLoad } from '../pool/load/plan-load.ts';
import type { Config } from '../serve/config/settings.ts';

/**
 * The estimated memory of a model without a GPU, in bytes, with the slots and the context length (in tokens) that the
 * estimate assumes.
 */
export interface LoadEstimate extends MemoryEstimate {
  backend: BackendName;
  slots: number;
  contextLength: number;
}

/** Estimates the memory of a model with its configuration, on a machine with this many free bytes. */
export function estimateLoad(
  source: ModelSource,
  config: Pick<Config, 'ctxLen' | 'slots' | 'threads' | 'batch'>,
  available = createMemoryGauge()().available,
): LoadEstimate {
  const { shape, loading } = source;
  const [backend = 'cpu'] = planBackends('cpu', source).backends;
  const asked = {
    contextLength: config.ctxLen ?? null,
    slots: config.slots ?? null,
    threads: config.threads ?? null,
    batchSize: config.batch ?? null,
    ...loading,
  };
  const { sizes, windows } = planLoad(source, backend, asked, available);
  const [contextLength = shape.trainedContextLength] = windows.lengths;
  const estimate = estimateMemory(shape, { ...sizes, contextLength });
  return { ...estimate, backend, slots: sizes.slots * sizes.threads, contextLength };
}
