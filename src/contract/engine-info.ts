export type BackendName = 'gpu' | 'cpu' | 'wasm';

/** The size at which WebAssembly memory ends, in bytes. Both builds of wllama are linked with this limit. */
export const WASM_MEMORY_BYTES = 2 ** 32;

/** The facts about a model that are known once an engine has loaded it. */
export interface EngineInfo {
  backend: BackendName;
  /** The npm package that runs the model. */
  runtime: 'node-llama-cpp' | 'wllama';
  /** The name of the device; for WebAssembly, the kind of build. */
  device: string;
  /** Context window of one slot, in tokens. */
  contextLength: number;
  /** The context window that the model was trained with, in tokens. */
  trainedContextLength: number;
  /** The number of generations that can run at once. */
  slots: number;
  /** The number of tokens that all slots can hold together. By default each can have its whole window. */
  cacheLength?: number;
  gpuLayers: number;
  /** The number of layers whose experts are in the machine's memory while the rest is on a GPU; undefined for none. */
  cpuExperts?: number;
  threads: number;
  /** The kernels that multiply matrices on the CPU: an instruction set of Paddock's, or `stock` with the reason. */
  kernels?: string;
  /** Whether the model's MTP layer guesses the next tokens of replies, and why not; undefined for a model without such a layer. */
  mtp?: string;
  /** The reason for the number of threads, for the log. */
  threadsReason?: string;
}
