import type { ModelSource } from '../engine/engine.ts';
import { estimateMemory, type MemoryEstimate } from '../engine/memory.ts';
import { contextsToTry } from '../pool/find-room.ts';
import type { Config } from './config/settings.ts';

/** What a model would take on the CPU, in bytes, and for how many slots of which length in tokens. */
export interface LoadEstimate extends MemoryEstimate {
  slots: number;
  contextLength: number;
}

/** Estimates the memory that a model takes as it is configured, where memory is no question. */
export function estimateLoad(source: ModelSource, config: Pick<Config, 'ctxLen' | 'slots' | 'batch'>): LoadEstimate {
  const { shape, kind, loading } = source;
  const asked = loading?.contextLength ?? config.ctxLen ?? null;
  const contextLength = contextsToTry('cpu', source, asked)[0] ?? shape.trainedContextLength;
  const slots = kind === 'chat' ? (loading?.slots ?? config.slots) : 1;
  const plan = { backend: 'cpu' as const, kind, contextLength, slots, threads: 1, batchSize: config.batch };
  return { ...estimateMemory(shape, plan), slots, contextLength };
}
