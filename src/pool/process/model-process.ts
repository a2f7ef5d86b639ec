import { ApiError, modelChanged, serverError } from '../../contract/errors.ts';
import { type Log, toLogFields } from '../../contract/log.ts';
import type { LoadResult, WorkerConfig } from '../../engine/node/task.ts';
import { createCircuitBreaker } from '../circuit-breaker.ts';
import type { ModelWorkers } from '../model-workers.ts';
import type { EngineWatch } from '../observer.ts';
import { EngineDied } from './engine-died.ts';
import { type ConnectCopies, type EngineProcess, startEngineProcess } from './engine-process.ts';
import { type EngineSigns, noteSign, watchEngine } from './watchdog.ts';

/** One life of the engine: from the start of its process to its death. */
interface Life {
  engine: EngineProcess;
  loaded: Promise<LoadResult>;
  /** Ends the calls that are open with the death. */
  failing: Set<(death: EngineDied) => void>;
  signs: EngineSigns;
}

/**
 * Holds a native engine in a process of its own. When the process dies, the calls in it fail with `EngineDied`, and
 * `ready` starts another. Deaths in a row open a breaker: for a time `ready` refuses, with the reason. `ready` also
 * throws a 503 `model_changed` if the model's files were replaced, and a 500 `engine_unavailable` if the engine does
 * not load the model or the signal aborts. After the disposal, `load` and `ready` throw a 500.
 */
export function startModelProcess(
  config: WorkerConfig,
  log: Log,
  watch: EngineWatch,
  connectCopies?: ConnectCopies,
): ModelWorkers {
  const breaker = createCircuitBreaker(() => performance.now());
  let life: Life | undefined;
  let ended = false;

  const libraries = config.backend === 'cpu' ? { stockKernels: config.engine.stockKernels ?? false } : null;
  const begin = (): Life => {
    const signs: EngineSigns = { heardAt: performance.now(), steppedAt: null, longestStepMs: 0 };
    const noteHeard = (ofCall: boolean) => noteSign(signs, performance.now(), ofCall);
    const engine = startEngineProcess(libraries, log, noteHeard, connectCopies);
    const born: Life = { engine, loaded: engine.load(config), failing: new Set(), signs };
    const stopWatching = watchEngine(engine, signs, log, watch.stuck);
    void engine.died.then((death) => {
      stopWatching();
      if (life === born) life = undefined;
      if (ended) return;
      breaker.noteDeath();
      watch.died();
      log.error('the engine died', { pid: engine.pid, requests: born.failing.size, ...toLogFields(death) });
      for (const fail of born.failing) fail(death);
    });
    life = born;
    return born;
  };

  const current = (): Life => {
    if (ended) throw serverError('The server is shutting down.');
    return life ?? begin();
  };

  return {
    load: () => current().loaded,

    async ready(signal) {
      while (!signal.aborted) {
        breaker.check();
        const wanted = current();
        const result = await wanted.loaded;
        if (result.ok && life === wanted) return;
        if (!result.ok && result.changed) throw modelChanged();
        // An engine that died while it was loading is started again, until the breaker opens.
        if (life === wanted) break;
      }
      throw new ApiError({ ...serverError('The engine could not be started again.').data, code: 'engine_unavailable' });
    },

    async run(_, __, open) {
      if (!life) throw new EngineDied('the engine died before the call was opened', true);
      const { engine, failing, signs } = life;
      const { port, closed } = engine.open();
      const call = open(port);
      if (failing.size === 0) signs.steppedAt = performance.now();
      // After an abort the engine still computes: the slot is free when it has closed the port, or is gone. A call must not wait on
      // `engine.died` itself, which would keep something of each call for as long as the engine lives.
      const free = new Promise<void>((resolve) => {
        const end = () => {
          failing.delete(onDeath);
          if (failing.size === 0) signs.steppedAt = null;
          resolve();
        };
        const onDeath = (death: EngineDied) => {
          call.fail(death);
          end();
        };
        failing.add(onDeath);
        void closed.then(() => {
          breaker.noteSuccess();
          end();
        });
      });
      try {
        await call.done;
      } finally {
        await free;
      }
    },

    pids: () => (life ? [life.engine.pid] : []),

    async [Symbol.asyncDispose]() {
      ended = true;
      const last = life;
      await last?.engine.leave();
      await last?.engine.died;
    },
  };
}
