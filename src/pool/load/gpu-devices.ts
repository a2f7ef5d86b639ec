import { existsSync, readdirSync } from 'node:fs';

/** The device files of GPUs on Linux: of NVIDIA's cards and boards, of WSL, of AMD's compute driver, of all others, and of phones. */
const DEVICE_FILE = /^(?:nvidia|nvhost|nvmap|nvgpu|dxg|kfd|dri|mali|kgsl)/;

/**
 * Returns why there can be no GPU, without loading a driver; null if there may be one. On Linux every GPU driver has a device file in
 * `/dev`. Mesa's Vulkan device that computes on the CPU has none, but llama.cpp uses it only if `GGML_VK_VISIBLE_DEVICES` names it.
 */
export function whyNoGpu(
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
  folder = '/dev',
): string | null {
  if (platform !== 'linux' || env.GGML_VK_VISIBLE_DEVICES !== undefined || !existsSync(folder)) return null;
  return readdirSync(folder).some((name) => DEVICE_FILE.test(name)) ? null : `no GPU has a device file in ${folder}`;
}
