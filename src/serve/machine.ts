import { availableParallelism } from 'node:os';
import type { MachineSpeed } from '../contract/machine-speed.ts';
import { findMediaLibrary } from '../engine/node/media-library.ts';
import { measureBandwidth } from '../utils/measure-bandwidth.ts';
import type { Config } from './config/settings.ts';

/** Measures the machine, for the speed of models that are not here yet. Resolves to null if it can't be measured. */
export async function measureMachine({
  threads,
  backend,
}: Pick<Config, 'threads' | 'backend'>): Promise<MachineSpeed | null> {
  const bandwidth = await measureBandwidth();
  if (bandwidth === null) return null;
  const runtime = backend === 'wasm' ? 'wasm' : 'native';
  const mediaRuntime = findMediaLibrary().path === null ? 'wasm' : runtime;
  return { bandwidth, threads: threads ?? availableParallelism(), runtime, mediaRuntime };
}
