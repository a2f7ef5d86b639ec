import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { inOurWords, refuseNoDevice } from './llama.ts';

/** The devices that llama.cpp's native build finds on this machine. */
export interface NativeDevices {
  /** `cuda`, `vulkan`, `metal` or `cpu`. */
  kind: string;
  names: string[];
  /** The memory of all GPUs together, in bytes; null for a CPU. */
  memory: { total: number; free: number } | null;
}

/** Loads the prebuilt binary of a backend, without a model. Throws a plain error with the reason if that fails. */
export async function probeNative(backend: 'gpu' | 'cpu'): Promise<NativeDevices> {
  const llama = await getLlama({
    build: 'never',
    gpu: backend === 'gpu' ? 'auto' : false,
    progressLogs: false,
    logLevel: LlamaLogLevel.disabled,
  }).catch((error: unknown) => {
    throw inOurWords(error);
  });
  try {
    if (backend === 'cpu') return { kind: 'cpu', names: [], memory: null };
    await refuseNoDevice(llama);
    const { total, free } = await llama.getVramState();
    return { kind: String(llama.gpu), names: await llama.getGpuDeviceNames(), memory: { total, free } };
  } finally {
    await llama.dispose();
  }
}
