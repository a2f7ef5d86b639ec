import type { Llama } from 'node-llama-cpp';
import type { Gpu, GpuRuntime } from '../../../gpu.ts';
import { refuseNoDevice } from '../load-model.ts';

// The only module that uses node-llama-cpp itself: it knows which of its binaries fits a GPU.

/**
 * Finds the GPU that the best prebuilt binary offers, and computes a few tokens of a small model on it: some drivers
 * offer a device on which every kernel crashes this process. Throws a plain error with the reason if there is no usable
 * GPU.
 *
 * @param without the runtimes to leave out
 * @param modelPath the model to compute with; null computes nothing
 * @param onFound called with the GPU before anything is computed
 */
export async function probeGpu(
  without: GpuRuntime[],
  modelPath: string | null,
  onFound: (gpu: Gpu) => void,
): Promise<void> {
  // It waits at its top level, so that a bundle can't require it.
  const { getLlama, NoBinaryFoundError } = await import('node-llama-cpp');
  const llama = await getLlama({
    build: 'never',
    gpu: { type: 'auto', exclude: without },
    progressLogs: false,
    // With `debug`, llama.cpp writes its log at once. Lines for a logger would be lost in a crash.
    debug: true,
  }).catch((error: unknown) => {
    if (!(error instanceof NoBinaryFoundError)) throw error;
    throw new Error('no native binary of llama.cpp is installed', { cause: error });
  });
  if (llama.gpu === false) throw new Error('no GPU that the prebuilt binaries can use was found');
  const { total, free, unifiedSize } = await llama.getVramState();
  const names = await llama.getGpuDeviceNames();
  onFound({ runtime: llama.gpu, names, memory: { total, free }, sharesMemory: unifiedSize > total / 2 });
  refuseNoDevice(
    names.map((name) => ({ name, memory: { total, free } })),
    llama.gpu,
  );
  if (modelPath !== null) await computeOnce(llama, modelPath);
}

async function computeOnce(llama: Llama, modelPath: string): Promise<void> {
  const model = await llama.loadModel({ modelPath, gpuLayers: 'max' });
  const context = await model.createContext({ contextSize: 256 });
  const sequence = context.getSequence();
  // A prompt and a token of a reply: they use different kernels.
  await sequence.evaluateWithoutGeneratingNewTokens(model.tokenize('a few words'));
  await sequence.evaluateWithoutGeneratingNewTokens(model.tokenize('a').slice(-1));
}
