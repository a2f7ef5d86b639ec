import { usableCores } from '../../engine/node/cores.ts';
import type { Config } from '../../serve/config/settings.ts';
import { counted } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { estimateLoad, type LoadEstimate } from '../estimate-load.ts';
import type { Finding } from './finding.ts';
import type { FoundModels } from './folders.ts';

/** The number of models to report: the largest ones, which show what the machine can hold. */
const MOST_MODELS = 3;

/**
 * Returns what the largest models would get on this machine without a GPU: slots, context window, memory and threads.
 */
export function checkLoads({ catalogue }: Pick<FoundModels, 'catalogue'>, config: Config): Finding[] {
  const loads = catalogue
    .list()
    .flatMap(({ id }) => {
      const source = catalogue.sourceOf(id);
      return source ? [{ id, load: estimateLoad(source, config) }] : [];
    })
    .sort((a, b) => b.load.weights - a.load.weights)
    .slice(0, MOST_MODELS);
  if (loads.length === 0) return [];
  const threads =
    config.threads === undefined
      ? `at most ${counted(usableCores().count, 'thread')}, fewer where that is measured to be faster`
      : counted(config.threads, 'thread');
  const detail = [...loads.map(describe), threads].join('; ');
  return [{ id: 'loads', title: 'would get', status: 'info', detail }];
}

function describe({ id, load }: { id: string; load: LoadEstimate }): string {
  const { slots, contextLength, total } = load;
  return `${id} ${slots} slots of ${contextLength} tokens in about ${formatBytes(total)}`;
}
