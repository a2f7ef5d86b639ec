import { WASM_MEMORY_BYTES } from '../../src/contract/engine-info.ts';
import type { MovingModel } from '../../src/contract/residency.ts';
import type { EngineState } from '../protocol.ts';
import type { Device } from './device.ts';
import type { LoadedEngine } from './load-model.ts';

/** The one model that is in memory, or that is being loaded or unloaded. */
export interface HeldModel {
  id: string;
  state: 'loading' | 'ready' | 'unloading';
  /** Null while the model is being loaded. */
  engine: LoadedEngine | null;
}

/** The facts about an engine room at one moment. */
export interface RoomFacts {
  held: HeldModel | null;
  /** The model id of each waiting request. */
  waiting: readonly string[];
  /** Requests that run: 0 or 1. */
  busy: number;
  /** The device for the next model. */
  device: Device;
}

/** Returns the state that the API shows: the held model, and the models that requests wait for. */
export function toEngineState({ held, waiting, busy, device }: RoomFacts): EngineState {
  // WebGPU does not tell the memory of a card, which is at least as large as a buffer may be.
  const onCard = device.card?.streams ? device.card.limits.maxBufferSize : 0;
  const available = WASM_MEMORY_BYTES + onCard;
  const waitingFor = (id: string) => waiting.filter((other) => other === id).length;
  const movingState = (id: string, state: MovingModel['state']) => ({ id, state, waiting: waitingFor(id) });
  const queued = [...new Set(waiting)].filter((id) => id !== held?.id).map((id) => movingState(id, 'queued'));
  if (held?.state === 'ready' && held.engine) {
    const { info, memory, device: own } = held.engine;
    const fallbackReasons = own.backend === 'webgpu' && !own.partly ? [] : [own.reason];
    return {
      loaded: [{ id: held.id, engine: info, fallbackReasons, memory, busy, waiting: waitingFor(held.id) }],
      moving: queued,
      device: own,
      available,
    };
  }
  const moving = held && held.state !== 'ready' ? [movingState(held.id, held.state)] : [];
  return { loaded: [], moving: [...moving, ...queued], device: held?.engine?.device ?? device, available };
}
