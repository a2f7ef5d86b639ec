/** The used part of WebGPU, whose types TypeScript does not have yet. */
export interface WebGpu {
  requestAdapter(): Promise<GpuAdapter | null>;
}

/** The used part of a graphics adapter. Older browsers have `isFallbackAdapter` at the adapter itself. */
export interface GpuAdapter {
  features: { has(name: string): boolean };
  limits: CardLimits;
  info?: { isFallbackAdapter?: boolean };
  isFallbackAdapter?: boolean;
  requestDevice(options: { requiredLimits: Partial<Record<keyof CardLimits, number>> }): Promise<GpuDevice>;
}

/** The limits of a graphics adapter on which a model's place depends, in bytes. */
export interface CardLimits {
  /** The largest buffer. */
  maxBufferSize: number;
  /** The largest part of a buffer that a kernel reads. llama.cpp leaves a larger tensor to the processor. */
  maxStorageBufferBindingSize: number;
}

/** The used part of a device. */
export interface GpuDevice {
  pushErrorScope(kind: 'out-of-memory' | 'validation'): void;
  popErrorScope(): Promise<object | null>;
  createBuffer(options: { size: number; usage: number }): { destroy(): void };
  destroy(): void;
}

/** Returns the browser's WebGPU; undefined if it has none. */
export function browserGpu(): WebGpu | undefined {
  return 'gpu' in navigator ? (navigator.gpu as WebGpu) : undefined;
}
