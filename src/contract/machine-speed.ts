/** The measured facts from which the speed of a model that is not here yet is estimated. */
export interface MachineSpeed {
  /** The bytes that one thread reads and writes per second when it copies memory. */
  bandwidth: number;
  /** The number of threads that compute. */
  threads: number;
  /** The slowest runtime that a model without a projector may get here. */
  runtime: 'native' | 'wasm';
  /** The runtime that a model with a projector gets here. */
  mediaRuntime: 'native' | 'wasm';
}
