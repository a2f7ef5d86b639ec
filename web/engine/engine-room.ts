import { ApiError, serverError } from '../../src/contract/errors.ts';
import { type Log, toLogFields } from '../../src/contract/log.ts';
import { createSlotQueue } from '../../src/dispatch/slot-queue.ts';
import type { JournaledService } from '../../src/engine/chat-service.ts';
import { WasmCrashed } from '../../src/engine/wasm/crash.ts';
import type { BrowserModel, EngineState } from '../protocol.ts';
import type { Device } from './device.ts';
import { createEngineMemory, type LoadEngine } from './engine-memory.ts';
import { toEngineState } from './engine-state.ts';

export interface EngineRoomOptions {
  load: LoadEngine;
  /** The device that engines are meant to compute on. */
  device: Device;
  /** Requests that may wait. */
  maxWaiting: number;
  log: Log;
}

/** Holds one model at a time and runs one request at a time, in the order in which they came. */
export interface EngineRoom {
  /**
   * Returns the service of a model, which is loaded when a request's turn comes. `log` is the request's. The service
   * throws an `ApiError` if too many requests wait, or if the engine crashes.
   */
  serviceOf(model: BrowserModel, log: Log): JournaledService;
  state(): EngineState;
}

export function createEngineRoom({ load, device, maxWaiting, log }: EngineRoomOptions): EngineRoom {
  const queue = createSlotQueue(1, maxWaiting);
  const memory = createEngineMemory(load, log);
  /** The models of the requests that wait, in order. */
  const waiting: { id: string }[] = [];

  const waitForTurn = async (id: string, signal: AbortSignal) => {
    const ticket = { id };
    waiting.push(ticket);
    try {
      return await queue.acquire(signal);
    } finally {
      waiting.splice(waiting.indexOf(ticket), 1);
    }
  };

  /** How often in a row an engine was lost on the graphics card without having ended a request. */
  let losses = 0;

  /**
   * Waits for the request's turn, loads the model if need be and runs `work`. Returns null if the request is aborted
   * while it waits. An engine that crashes is unloaded, and the next request loads the model again.
   */
  const run = async <T>(
    model: BrowserModel,
    requestLog: Log,
    signal: AbortSignal,
    work: (service: JournaledService) => Promise<T>,
  ) => {
    const leave = await waitForTurn(model.card.id, signal);
    if (!leave) return null;
    try {
      const { service } = await memory.enter(model, requestLog, losses);
      const done = await work(service);
      losses = 0;
      return done;
    } catch (error) {
      if (!(error instanceof WasmCrashed)) throw error;
      requestLog.error('the engine crashed', toLogFields(error));
      const wasOnCard = memory.held()?.engine?.device.backend === 'webgpu';
      await memory.unload();
      if (!wasOnCard) throw engineCrashed(model.card.id);
      losses += 1;
      throw cardLost(model.card.id);
    } finally {
      leave();
    }
  };

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
    state: () => toEngineState({ held: memory.held(), waiting: waiting.map(({ id }) => id), busy: queue.busy, device }),
  };
}

/**
 * Returns the error for an engine that was lost on the graphics card. Its code says that the request is not to blame, so
 * that the service worker has the reply continued.
 */
function cardLost(id: string): ApiError {
  const message = `The graphics card of '${id}' was lost. The model is loaded again with the next request.`;
  return new ApiError({ ...serverError(message).data, status: 503, code: 'engine_lost' });
}

function engineCrashed(id: string): ApiError {
  const message = `The engine of '${id}' crashed. It starts again with the next request; if it keeps crashing, the model may need more memory than the browser gives.`;
  return new ApiError({ ...serverError(message).data, code: 'engine_crashed' });
}
