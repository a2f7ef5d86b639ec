import { expertsPattern } from '../../../gguf/tensor-bytes.ts';
import type { EngineOptions } from '../../engine.ts';
import type { Offload } from '../../offload.ts';
import { addressOf, type Bindings } from './library/bindings.ts';
import type { LlamaDevice } from './library/library.ts';
import { type ModelParams, SPLIT_MODE } from './library/structs.ts';

/** The settings of a load that say how several GPUs share a model. */
export type Shares = Pick<EngineOptions, 'splitMode' | 'tensorSplit' | 'mainGpu'>;

/** The parameters that put the parts of a model on devices. */
export interface Placement {
  params: Partial<ModelParams>;
  /** The memory that the parameters point to. It has to be kept until the model is loaded. */
  keep: NodeJS.TypedArray[];
}

/** More devices than llama.cpp takes. */
const MOST_DEVICES = 256;

/**
 * Makes the parameters of an offload: the layers on the GPUs, the shares of the GPUs, and the experts that stay in the
 * machine's memory, as `--n-cpu-moe` of llama-server has them.
 *
 * @param layers the number of layers of the model
 */
export function placementParams(
  llama: Pick<Bindings, 'ggml_backend_cpu_buffer_type'>,
  offload: Offload,
  layers: number,
  { splitMode, tensorSplit, mainGpu }: Shares,
): Placement {
  const keep: NodeJS.TypedArray[] = [];
  const kept = <A extends NodeJS.TypedArray>(array: A) => {
    keep.push(array);
    return addressOf(array);
  };
  const params: Partial<ModelParams> = { n_gpu_layers: offload.layers };
  if (splitMode !== undefined) params.split_mode = SPLIT_MODE[splitMode];
  if (mainGpu !== undefined) params.main_gpu = mainGpu;
  if (tensorSplit !== undefined) {
    const shares = new Float32Array(MOST_DEVICES);
    shares.set(tensorSplit);
    params.tensor_split = kept(shares);
  }
  const experts = Math.min(offload.cpuExperts ?? 0, layers);
  if (experts > 0) {
    const pattern = Buffer.from(`${expertsPattern(experts)}\0`.padEnd(128, '\0'));
    // A list of patterns and buffer types, which ends with two zeros.
    const overrides = new BigUint64Array(16);
    overrides[0] = kept(pattern);
    overrides[1] = llama.ggml_backend_cpu_buffer_type();
    params.tensor_buft_overrides = kept(overrides);
  }
  return { params, keep };
}

/**
 * Returns the devices that a model may be put on: all, or the main one if it is not split. Throws an `Error` if
 * llama.cpp found no GPU with the number `mainGpu`.
 */
export function devicesFor<D extends LlamaDevice>(devices: D[], { splitMode, mainGpu = 0 }: Shares): D[] {
  if (splitMode !== 'none') return devices;
  const main = devices[mainGpu];
  if (!main) throw new Error(`there is no GPU ${mainGpu}: llama.cpp found ${devices.length}`);
  return [main];
}
