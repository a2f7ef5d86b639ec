import { describe, expect, it } from 'vitest';
import type { Device } from '../../../web/engine/device.ts';
import { type RoomFacts, toEngineState } from '../../../web/engine/engine-state.ts';
import type { LoadedEngine } from '../../../web/engine/load-model.ts';
import type { EngineState } from '../../../web/protocol.ts';

const gpu: Device = { backend: 'webgpu', threads: 2, reason: 'There is one.' };
const cpu: Device = { backend: 'wasm', threads: 2, reason: 'No WebGPU.' };

function engineOn(device: Device): LoadedEngine {
  return {
    service: { generate: async () => {}, ask: () => Promise.reject(new Error('not asked here')) },
    info: {
      backend: 'wasm',
      runtime: 'wllama',
      device: 'WebAssembly',
      contextLength: 512,
      trainedContextLength: 512,
      slots: 1,
      gpuLayers: 0,
      threads: 2,
    },
    memory: 7,
    device,
    [Symbol.asyncDispose]: async () => {},
  };
}

const onGpu = engineOn(gpu);
const onCpu = engineOn(cpu);
const partly: Device = { ...gpu, partly: true, reason: '12 of 25 layers fit.' };
const loaded = { engine: onCpu.info, memory: 7 };

describe('the state of an engine room', () => {
  it.each<[string, Omit<RoomFacts, 'device'>, Omit<EngineState, 'available'>]>([
    ['nothing', { held: null, waiting: [], busy: 0 }, { loaded: [], moving: [], device: gpu }],
    [
      'requests for two models, and none in memory',
      { held: null, waiting: ['a', 'b', 'a'], busy: 0 },
      {
        loaded: [],
        moving: [
          { id: 'a', state: 'queued', waiting: 2 },
          { id: 'b', state: 'queued', waiting: 1 },
        ],
        device: gpu,
      },
    ],
    [
      'a model that is being loaded, before those that wait for it',
      { held: { id: 'a', state: 'loading', engine: null }, waiting: ['b', 'a'], busy: 1 },
      {
        loaded: [],
        moving: [
          { id: 'a', state: 'loading', waiting: 1 },
          { id: 'b', state: 'queued', waiting: 1 },
        ],
        device: gpu,
      },
    ],
    [
      'a model on the device that was meant',
      { held: { id: 'a', state: 'ready', engine: onGpu }, waiting: ['a'], busy: 1 },
      { loaded: [{ ...loaded, id: 'a', fallbackReasons: [], busy: 1, waiting: 1 }], moving: [], device: gpu },
    ],
    [
      'a model on a lesser device, with the reason',
      { held: { id: 'a', state: 'ready', engine: onCpu }, waiting: ['b'], busy: 0 },
      {
        loaded: [{ ...loaded, id: 'a', fallbackReasons: ['No WebGPU.'], busy: 0, waiting: 0 }],
        moving: [{ id: 'b', state: 'queued', waiting: 1 }],
        device: cpu,
      },
    ],
    [
      'a model of which a part is on the graphics card, with the reason',
      { held: { id: 'a', state: 'ready', engine: engineOn(partly) }, waiting: [], busy: 0 },
      {
        loaded: [{ ...loaded, id: 'a', fallbackReasons: ['12 of 25 layers fit.'], busy: 0, waiting: 0 }],
        moving: [],
        device: partly,
      },
    ],
    [
      'a model that is being unloaded, with the device that it ran on',
      { held: { id: 'a', state: 'unloading', engine: onCpu }, waiting: [], busy: 1 },
      { loaded: [], moving: [{ id: 'a', state: 'unloading', waiting: 0 }], device: cpu },
    ],
  ])('tells %s', (_, facts, state) => {
    expect(toEngineState({ ...facts, device: gpu })).toEqual({ ...state, available: 2 ** 32 });
  });

  it('tells the memory for models: that of WebAssembly, and what a graphics card surely has', () => {
    const nothing = { held: null, waiting: [], busy: 0 };
    const limits = { maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: 2 ** 30 };
    const card = { limits, subgroups: true, streams: true };
    expect(toEngineState({ ...nothing, device: cpu }).available).toBe(2 ** 32);
    expect(toEngineState({ ...nothing, device: { ...gpu, card } }).available).toBe(2 ** 32 + 2 ** 31);
    // WebAssembly's memory holds the whole files on their way to such a card.
    expect(toEngineState({ ...nothing, device: { ...gpu, card: { ...card, streams: false } } }).available).toBe(
      2 ** 32,
    );
  });
});
