import type { BackendName } from '../core/runner.ts';
import type { ModelSource } from '../engine/engine.ts';
import { estimateMemory, type MemoryEstimate } from '../engine/memory-estimate.ts';
import { usableCores } from '../engine/node/cores.ts';
import { contextsToTry } from '../pool/find-room.ts';
import { planBackends } from '../pool/load-model.ts';
import { createMemoryGauge } from '../pool/memory-gauge.ts';
import { planThreads } from '../pool/model-threads.ts';
import { planSlots } from '../pool/plan-slots.ts';
import type { Config } from './config/settings.ts';

/**
 * The estimated memory of a model without a GPU, in bytes, and the slots and the context length (in tokens) that it
 * counts with.
 */
export interface LoadEstimate extends MemoryEstimate {
  backend: BackendName;
  slots: number;
  contextLength: number;
}

/** Estimates the memory that a model takes as it is configured, on a machine with so many bytes to be had. */
export function estimateLoad(
  source: ModelSource,
  config: Pick<Config, 'ctxLen' | 'slots' | 'threads' | 'batch'>,
  available = createMemoryGauge()().available,
): LoadEstimate {
  const { shape, kind, loading } = source;
  const [backend = 'cpu'] = planBackends('cpu', source).backends;
  const asked = loading?.contextLength ?? config.ctxLen ?? null;
  const sizes = { backend, kind, threads: 1, batchSize: config.batch };
  const askedSlots = loading?.slots ?? config.slots ?? null;
  const chosen = planSlots(source, { slots: askedSlots, contextLength: asked }, sizes, available);
  const wanted = { slots: chosen.slots, threads: loading?.threads ?? config.threads ?? null };
  const { threads, slots: most } = planThreads(backend, wanted, usableCores().count);
  const slots = kind === 'chat' ? most : 1;
  const windowless = { ...sizes, slots, threads };
  const [contextLength = shape.trainedContextLength] = contextsToTry(source, asked, windowless, available).lengths;
  const plan = { ...windowless, contextLength };
  return { ...estimateMemory(shape, plan), backend, slots: slots * threads, contextLength };
}
