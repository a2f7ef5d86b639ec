import { type SilenceWatch, watchSilence, whenReleased } from '../liveness.ts';
import { type Connection, type ConnectMessage, STUCK_AFTER_MS } from '../protocol.ts';
import type { WorkerSign } from '../worker-inbox.ts';

/** A dedicated worker of this page. */
export interface PageWorker {
  /**
   * Resolves to true once the worker is ready, and to false if its script can't be started or if it is stopped first.
   */
  ready: Promise<boolean>;
  /** Resolves once the worker is stopped, crashed, stuck, or failed to start. */
  dead: Promise<void>;
  forward(connection: Connection, port: MessagePort): void;
  stop(): void;
}

/** Starts a module worker that receives connections by `openInbox`. */
export function startWorker(url: URL): PageWorker {
  const lock = `paddock-worker:${crypto.randomUUID()}`;
  const worker = new Worker(url, { type: 'module', name: lock });
  const stopped = new AbortController();
  let state: 'starting' | 'ready' | 'dead' = 'starting';
  let setReady = (_: boolean) => {};
  let setDead = () => {};
  let watch: SilenceWatch | undefined;
  const ready = new Promise<boolean>((resolve) => {
    setReady = resolve;
  });
  const dead = new Promise<void>((resolve) => {
    setDead = resolve;
  });

  const die = () => {
    watch?.stop();
    state = 'dead';
    setReady(false);
    setDead();
  };
  worker.onmessage = ({ data }: MessageEvent<WorkerSign>) => {
    if (state === 'dead') return;
    if (data.kind === 'alive') {
      watch ??= watchSilence(STUCK_AFTER_MS, die);
      watch.heard();
    }
    if (data.kind !== 'ready' || state !== 'starting') return;
    state = 'ready';
    setReady(true);
    // A worker that ends fires no event, but the browser releases its lock.
    void whenReleased(lock, stopped.signal).then((released) => released && die());
  };
  // An uncaught error does not end a worker that is ready.
  worker.onerror = () => {
    if (state === 'starting') die();
  };

  return {
    ready,
    dead,
    forward: (connection, port) =>
      worker.postMessage({ kind: 'connect', connection } satisfies ConnectMessage, transferables(connection, port)),
    stop() {
      stopped.abort();
      worker.terminate();
      die();
    },
  };
}

function transferables(connection: Connection, port: MessagePort): Transferable[] {
  return connection.to === 'models' && connection.body ? [port, connection.body] : [port];
}
