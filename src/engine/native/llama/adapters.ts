import { invalidRequest } from '../../../contract/errors.ts';
import type { AppliedAdapter } from '../../../contract/generation-request.ts';
import type { AdapterSource } from '../../engine.ts';
import { type Bindings, lengthForC } from './library/bindings.ts';
import type { Pointer } from './library/pointer.ts';
import type { LlamaModel } from './model.ts';

/**
 * LoRA adapters that a forward pass applies to all of its tokens. The keys and values that it computes are only of use
 * to passes with the same adapters and scales.
 */
export interface AdapterSet {
  /** A text that is equal for two sets of one model if they compute the same; '' for the set without adapters. */
  readonly key: string;
  readonly adapters: readonly { handle: Pointer; scale: number }[];
}

/** The set of a request that names no adapters. */
export const NO_ADAPTERS: AdapterSet = { key: '', adapters: [] };

/** The adapters that a model has loaded. */
export interface LoadedAdapters {
  /** Returns the set of a request. Throws a 400 `ApiError` for an adapter that is not loaded. */
  setOf(applied: readonly AppliedAdapter[] | undefined): AdapterSet;
}

/**
 * Loads the adapters of a model, which are freed with it. To be called before a context is made: llama.cpp then reserves
 * memory for their part of a pass. Throws a plain error with the reason if one of them does not fit the model.
 */
export async function loadAdapters(model: LlamaModel, sources: readonly AdapterSource[]): Promise<LoadedAdapters> {
  const { llama, takeError } = model.library;
  const handles = new Map<string, Pointer>();
  for (const { name, file } of sources) {
    takeError();
    const handle = await llama.llama_adapter_lora_init.async(model.handle, file);
    if (!handle) throw new Error(`llama.cpp could not load the LoRA adapter '${name}': ${takeError()}`);
    handles.set(name, handle);
  }
  return {
    setOf(applied = []) {
      const adapters = applied.map(({ name, scale }) => {
        const handle = handles.get(name);
        if (!handle) throw notLoaded(name);
        // llama.cpp's scales are 32-bit floats.
        return { name, handle, scale: Math.fround(scale) };
      });
      const effective = adapters.filter(({ scale }) => scale !== 0);
      if (effective.length === 0) return NO_ADAPTERS;
      return { key: JSON.stringify(effective.map(({ name, scale }) => [name, scale])), adapters: effective };
    },
  };
}

/** Makes the function that sets the adapters of a context's following passes. A new context applies none. */
export function createAdapterSwitch(llama: Bindings): (context: Pointer, set: AdapterSet) => void {
  let applied = NO_ADAPTERS.key;
  return (context, { key, adapters }) => {
    if (key === applied) return;
    const handles = new BigUint64Array(lengthForC(adapters.length));
    const scales = new Float32Array(lengthForC(adapters.length));
    for (const [index, { handle, scale }] of adapters.entries()) {
      handles[index] = handle;
      scales[index] = scale;
    }
    llama.llama_set_adapters_lora(context, handles, adapters.length, scales);
    applied = key;
  };
}

/** 400: the adapters of the model have changed since the request was checked. */
function notLoaded(name: string): Error {
  return invalidRequest(`The model has loaded no LoRA adapter '${name}'.`, 'lora', 'unknown_lora');
}
