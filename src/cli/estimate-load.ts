import { availableParallelism } from 'node:os';
import type { BackendName } from '../core/runner.ts';
import type { ModelSource } from '../engine/engine.ts';
import { estimateMemory, type MemoryEstimate } from '../engine/memory-estimate.ts';
import { contextsToTry } from '../pool/find-room.ts';
import { planBackends } from '../pool/load-model.ts';
import { planThreads } from '../pool/model-threads.ts';
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

/** Estimates the memory that a model takes with this configuration. It assumes that there is enough memory. */
export function estimateLoad(
  source: ModelSource,
  config: Pick<Config, 'ctxLen' | 'slots' | 'threads' | 'batch'>,
): LoadEstimate {
  const { shape, kind, loading } = source;
  const [backend = 'cpu'] = planBackends('cpu', source).backends;
  const asked = loading?.contextLength ?? config.ctxLen ?? null;
  const contextLength = contextsToTry(backend, source, asked)[0] ?? shape.trainedContextLength;
  const wanted = { slots: loading?.slots ?? config.slots, threads: loading?.threads ?? config.threads ?? null };
  const { threads, slots: most } = planThreads(backend, wanted, availableParallelism());
  const slots = kind === 'chat' ? most : 1;
  const plan = { backend, kind, contextLength, slots, threads, batchSize: config.batch };
  return { ...estimateMemory(shape, plan), backend, slots: slots * threads, contextLength };
}
