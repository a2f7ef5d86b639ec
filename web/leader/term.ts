import { holdLock } from '../liveness.ts';
import { type Connection, leaderLock } from '../protocol.ts';
import { type PageWorker, startWorker } from './page-worker.ts';

/** The pause before a dead worker is replaced, in ms: it keeps a worker that always dies from using all of a core. */
const RESPAWN_MS = 500;

export interface TermOptions {
  epoch: number;
  clientId: string;
  /** The folder of the workers' scripts. */
  folder: URL;
  /** Ends the term. */
  signal: AbortSignal;
}

/**
 * The time during which a page leads. It runs the engine's worker all the time, and the models' worker from its first
 * use.
 */
export interface LeaderTerm {
  /** Sends a connection and its port to the worker that serves it. */
  forward(connection: Connection, port: MessagePort): void;
  /** Resolves when the term is over and the workers are stopped. */
  over: Promise<void>;
}

/** Starts the engine's worker and leads until the signal aborts. A worker that dies is replaced, in a new epoch. */
export function startTerm({ epoch, clientId, folder, signal }: TermOptions): LeaderTerm {
  let current = epoch;
  const engineUrl = new URL('engine-worker.js', folder);
  let engine = startWorker(engineUrl);
  let models: PageWorker | null = null;

  /**
   * While this page holds the lock, the service worker sends requests to it. When it releases the lock, the running
   * requests fail.
   */
  const advertise = async () => {
    const release = await holdLock(leaderLock(current, clientId));
    await Promise.race([engine.dead, aborted(signal)]);
    release();
  };

  const run = async () => {
    while (!signal.aborted) {
      if (await Promise.race([engine.ready, aborted(signal)])) await advertise();
      engine.stop();
      if (signal.aborted) break;
      await delay(RESPAWN_MS, signal);
      // Requests that lost the previous engine look for a later epoch.
      current += 1;
      engine = startWorker(engineUrl);
    }
    engine.stop();
    models?.stop();
  };

  const modelsWorker = () => {
    if (models) return models;
    const started = startWorker(new URL('models-worker.js', folder));
    void started.dead.then(() => {
      if (models === started) models = null;
    });
    models = started;
    return started;
  };

  return {
    forward: (connection, port) => (connection.to === 'engine' ? engine : modelsWorker()).forward(connection, port),
    over: run(),
  };
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener('abort', () => resolve(false), { once: true });
  });
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([passed, aborted(signal)]);
  clearTimeout(timer);
}
