import type { ModelSource } from '../../engine/engine.ts';
import type { Gpu } from '../../engine/gpu.ts';
import { usableCores } from '../../engine/node/cores.ts';
import type { Config } from '../../serve/config/settings.ts';
import { counted } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { describeGpuLoad, estimateGpuLoad, estimateLoad, type LoadEstimate } from '../estimate-load.ts';
import type { Finding } from './finding.ts';
import type { FoundModels } from './folders.ts';

/** The number of models to report: the largest ones, which show what the machine can hold. */
const MOST_MODELS = 3;
/** The least bytes that a token reads for the report to name them. */
const WORTH_TELLING = 1e9;

/**
 * Returns what the largest models would get on this machine: slots, context window, memory, what a token reads, and
 * threads without a GPU, and the part that would go to the GPU.
 */
export function checkLoads({ catalogue }: Pick<FoundModels, 'catalogue'>, config: Config, gpu: Gpu | null): Finding[] {
  const loads = catalogue
    .list()
    .flatMap(({ id }) => {
      const source = catalogue.sourceOf(id);
      return source ? [{ id, source, load: estimateLoad(source, config) }] : [];
    })
    .sort((a, b) => b.load.weights - a.load.weights)
    .slice(0, MOST_MODELS);
  if (loads.length === 0) return [];
  const threads =
    config.threads === undefined
      ? `at most ${counted(usableCores().count, 'thread')}, fewer where that is measured to be faster`
      : counted(config.threads, 'thread');
  const detail = [...loads.map(describe), threads].join('; ');
  const status = loads.some(({ load }) => load.shortage !== null) ? 'warn' : 'info';
  const found: Finding = { id: 'loads', title: 'would get', status, detail };
  return gpu
    ? [found, { id: 'gpu-loads', title: 'on the GPU', status: 'info', detail: onGpu(loads, config, gpu) }]
    : [found];
}

function onGpu(loads: { id: string; source: ModelSource }[], config: Config, gpu: Gpu): string {
  return loads
    .map(({ id, source }) => {
      const estimate = estimateGpuLoad(source, config, gpu);
      return `${id} ${estimate ? describeGpuLoad(estimate) : 'fits with not one layer'}`;
    })
    .join('; ');
}

function describe({ id, load }: { id: string; load: LoadEstimate }): string {
  const { slots, contextLength, total, readPerToken, fromFile, shortage } = load;
  if (shortage !== null) return `${id} does not fit now: ${shortage.replace(/\.$/, '')}`;
  const windows = `${id} ${counted(slots, 'slot')} of ${contextLength} tokens in about ${formatBytes(total)}`;
  if (readPerToken < WORTH_TELLING) return windows;
  const experts = fromFile ? ', experts that do not fit from the file' : '';
  return `${windows}, each token reads ${formatBytes(readPerToken)} of weights${experts}`;
}
