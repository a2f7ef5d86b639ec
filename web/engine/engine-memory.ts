import { type Log, toLogFields } from '../../src/contract/log.ts';
import type { BrowserModel } from '../protocol.ts';
import type { HeldModel } from './engine-state.ts';
import type { LoadedEngine } from './load-model.ts';

/**
 * Loads a model. `log` is that of the request for which it is loaded, and `losses` how often in a row an engine was lost
 * on the graphics card.
 */
export type LoadEngine = (model: BrowserModel, log: Log, losses: number) => Promise<LoadedEngine>;

/** Holds at most one model. Its methods must not run side by side: the caller waits for one call before the next. */
export interface EngineMemory {
  held(): HeldModel | null;
  /**
   * Returns the engine of a model. If another model is held, it is unloaded first. Throws if the load fails; no model
   * is held then.
   */
  enter(model: BrowserModel, log: Log, losses: number): Promise<LoadedEngine>;
  /** Unloads the held model, if there is one. A failure is logged, and the model counts as unloaded. */
  unload(): Promise<void>;
}

/** Makes an empty memory. `log` gets the failures to unload a model. */
export function createEngineMemory(load: LoadEngine, log: Log): EngineMemory {
  let held: (HeldModel & { key: string }) | null = null;

  const unload = async () => {
    const last = held;
    if (!last) return;
    last.state = 'unloading';
    try {
      await last.engine?.[Symbol.asyncDispose]();
    } catch (error) {
      log.error('the model could not be unloaded', { model: last.id, ...toLogFields(error) });
    }
    held = null;
  };

  return {
    held: () => held,
    unload,
    async enter(model, requestLog, losses) {
      // The same id with other files is another model.
      const key = JSON.stringify([model.card.id, model.source]);
      if (held?.engine && held.key === key) return held.engine;
      await unload();
      const entering: typeof held = { id: model.card.id, key, state: 'loading', engine: null };
      held = entering;
      try {
        const engine = await load(model, requestLog, losses);
        Object.assign(entering, { state: 'ready', engine });
        requestLog.info('model loaded', { ...engine.device });
        return engine;
      } catch (error) {
        held = null;
        throw error;
      }
    },
  };
}
