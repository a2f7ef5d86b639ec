import { ALL_EXPERTS, type EngineOptions } from '../../engine/engine.ts';
import type { Config } from './settings.ts';

/** The settings that say which part of a model goes to which GPU. */
export type PlacementConfig = Pick<
  Config,
  'gpuLayers' | 'cpuMoe' | 'nCpuMoe' | 'splitMode' | 'tensorSplit' | 'mainGpu'
>;

/** Returns the load settings of the configuration that are set. `--cpu-moe` takes precedence over `--n-cpu-moe`. */
export function placementOf(
  config: Partial<PlacementConfig>,
): Pick<EngineOptions, 'gpuLayers' | 'cpuExperts' | 'splitMode' | 'tensorSplit' | 'mainGpu'> {
  const { gpuLayers, cpuMoe, nCpuMoe, splitMode, tensorSplit, mainGpu } = config;
  const cpuExperts = cpuMoe === true ? ALL_EXPERTS : nCpuMoe;
  return {
    ...(gpuLayers !== undefined && { gpuLayers }),
    ...(cpuExperts !== undefined && { cpuExperts }),
    ...(splitMode !== undefined && { splitMode }),
    ...(tensorSplit !== undefined && { tensorSplit }),
    ...(mainGpu !== undefined && { mainGpu }),
  };
}
