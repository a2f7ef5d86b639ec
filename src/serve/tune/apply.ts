import type { BackendName } from '../../contract/engine-info.ts';
import type { ModelSource } from '../../engine/engine.ts';
import type { TunedLoad } from '../../pool/load/load-model.ts';
import type { Config } from '../config/settings.ts';
import { fingerprintOf, isFor, type Tuning } from './tunings.ts';

/**
 * Returns a function that finds the settings which `paddock tune` measured for a model on this machine, without the settings that the
 * configuration sets. A model whose files can't be read has none; its load reports the error.
 */
export function tunedLoads(
  tunings: Tuning[],
  machine: string,
  config: Pick<Config, 'batch' | 'slots' | 'flashAttention'>,
): (source: ModelSource, backend: BackendName) => TunedLoad {
  const here = tunings.filter((tuning) => tuning.machine === machine);
  return ({ files }, backend) => {
    if (here.length === 0) return {};
    const fingerprint = tryFingerprint(files);
    const found = here.find((tuning) => fingerprint !== null && isFor(tuning, { fingerprint, machine, backend }));
    const { batch, slots, flashAttention } = found?.settings ?? {};
    return {
      ...(batch !== undefined && config.batch === undefined && { batchSize: batch }),
      ...(slots !== undefined && config.slots === undefined && { slots }),
      ...(flashAttention !== undefined && config.flashAttention === undefined && { flashAttention }),
    };
  };
}

function tryFingerprint(files: string[]): string | null {
  try {
    return fingerprintOf(files);
  } catch {
    return null;
  }
}
