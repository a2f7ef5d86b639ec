import { ApiError, serverError } from '../../src/contract/errors.ts';
import { type Log, toLogFields } from '../../src/contract/log.ts';
import type { LoadedModel, MovingModel } from '../../src/contract/residency.ts';
import { createSlotQueue } from '../../src/dispatch/slot-queue.ts';
import type { JournaledService } from '../../src/engine/chat-service.ts';
import { WasmCrashed } from '../../src/engine/wasm/crash.ts';
import type { BrowserModel, EngineState } from '../protocol.ts';
import type { Device } from './device.ts';
import type { LoadedEngine } from './load-model.ts';

export interface EngineRoomOptions {
  /** `log` is that of the request for which the model is loaded. */
  load: (model: BrowserModel, log: Log) => Promise<LoadedEngine>;
  /** The device that engines are meant to compute on. */
  device: Device;
  /** Requests that may wait. */
  maxWaiting: number;
  log: Log;
}

/** Holds one model at a time and runs one request at a time, in the order in which they came. */
export interface EngineRoom {
  /** Serves a request for this model, which is loaded when the request's turn comes. `log` is the request's. */
  serviceOf(model: BrowserModel, log: Log): JournaledService;
  state(): EngineState;
}

/** The model that is in memory, or on its way in or out. */
interface Resident {
  id: string;
  /** The same id with other files is another model. */
  key: string;
  state: 'loading' | 'ready' | 'unloading';
  engine: LoadedEngine | null;
}

export function createEngineRoom({ load, device, maxWaiting, log }: EngineRoomOptions): EngineRoom {
  const queue = createSlotQueue(1, maxWaiting);
  /** The ids of the requests that wait, in order. */
  const waiting: { id: string }[] = [];
  let resident: Resident | null = null;
  let running = 0;

  const unload = async () => {
    const last = resident;
    if (!last) return;
    last.state = 'unloading';
    try {
      await last.engine?.[Symbol.asyncDispose]();
    } catch (error) {
      log.error('the model could not be unloaded', { model: last.id, ...toLogFields(error) });
    }
    resident = null;
  };

  /** Makes the model the one in memory. Only the holder of the slot may call it. */
  const enter = async (model: BrowserModel, requestLog: Log): Promise<LoadedEngine> => {
    const key = JSON.stringify([model.card.id, model.source]);
    if (resident?.engine && resident.key === key) return resident.engine;
    await unload();
    const entering: Resident = { id: model.card.id, key, state: 'loading', engine: null };
    resident = entering;
    try {
      const engine = await load(model, requestLog);
      Object.assign(entering, { state: 'ready', engine });
      requestLog.info('model loaded', { ...engine.device });
      return engine;
    } catch (error) {
      resident = null;
      throw error;
    }
  };

  const waitForTurn = async (id: string, signal: AbortSignal) => {
    const ticket = { id };
    waiting.push(ticket);
    try {
      return await queue.acquire(signal);
    } finally {
      waiting.splice(waiting.indexOf(ticket), 1);
    }
  };

  /**
   * Works with the model loaded. Gives null when aborted before. An engine that crashes is unloaded; the next request
   * loads another.
   */
  const run = async <T>(
    model: BrowserModel,
    requestLog: Log,
    signal: AbortSignal,
    work: (service: JournaledService) => Promise<T>,
  ) => {
    const leave = await waitForTurn(model.card.id, signal);
    if (!leave) return null;
    running = 1;
    try {
      const { service } = await enter(model, requestLog);
      return await work(service);
    } catch (error) {
      if (!(error instanceof WasmCrashed)) throw error;
      requestLog.error('the engine crashed', toLogFields(error));
      await unload();
      throw engineCrashed(model.card.id);
    } finally {
      running = 0;
      leave();
    }
  };

  const waitingFor = (id: string) => waiting.filter((ticket) => ticket.id === id).length;

  const loadedState = (id: string, { info, memory, device: { backend, reason } }: LoadedEngine): LoadedModel => ({
    id,
    engine: info,
    fallbackReasons: backend === 'webgpu' ? [] : [reason],
    memory,
    busy: running,
    waiting: waitingFor(id),
  });
  const movingState = (id: string, state: MovingModel['state']): MovingModel => ({
    id,
    state,
    waiting: waitingFor(id),
  });

  return {
    serviceOf: (model, requestLog) => ({
      async generate(request, emit, signal) {
        await run(model, requestLog, signal, (service) => service.generate(request, emit, signal));
      },
      async ask(kind, question, signal = new AbortController().signal) {
        const answered = await run(model, requestLog, signal, async (service) => ({
          answer: await service.ask(kind, question, signal),
        }));
        if (!answered) throw serverError('The client went away.');
        return answered.answer;
      },
    }),

    state() {
      const queued = new Set(waiting.map(({ id }) => id).filter((id) => id !== resident?.id));
      return {
        loaded: resident?.state === 'ready' && resident.engine ? [loadedState(resident.id, resident.engine)] : [],
        moving: [
          ...(resident && resident.state !== 'ready' ? [movingState(resident.id, resident.state)] : []),
          ...[...queued].map((id) => movingState(id, 'queued')),
        ],
        device: resident?.engine?.device ?? device,
      };
    },
  };
}

function engineCrashed(id: string): ApiError {
  const message = `The engine of '${id}' crashed. It starts again with the next request; if it keeps crashing, the model may need more memory than the browser gives.`;
  return new ApiError({ ...serverError(message).data, code: 'engine_crashed' });
}
