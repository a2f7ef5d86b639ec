import { whenReleased } from '../liveness.ts';
import type { Connection } from '../protocol.ts';
import type { WorkerCall, WorkerReady } from '../worker-door.ts';

/** A dedicated worker of this page. */
export interface HostedWorker {
  /** Whether it came to be ready: false when its script could not be started, or it was stopped before. */
  ready: Promise<boolean>;
  /** Resolves when it is dead: stopped, crashed, or never started. */
  dead: Promise<void>;
  forward(connection: Connection, port: MessagePort): void;
  stop(): void;
}

/** Starts a module worker that opens its door with `openDoor`. */
export function startWorker(url: URL): HostedWorker {
  const lock = `paddock-worker:${crypto.randomUUID()}`;
  const worker = new Worker(url, { type: 'module', name: lock });
  const stopped = new AbortController();
  let state: 'starting' | 'ready' | 'dead' = 'starting';
  let setReady = (_: boolean) => {};
  let setDead = () => {};
  const ready = new Promise<boolean>((resolve) => {
    setReady = resolve;
  });
  const dead = new Promise<void>((resolve) => {
    setDead = resolve;
  });

  const die = () => {
    state = 'dead';
    setReady(false);
    setDead();
  };
  worker.onmessage = ({ data }: MessageEvent<WorkerReady>) => {
    if (data.kind !== 'ready' || state !== 'starting') return;
    state = 'ready';
    setReady(true);
    // It holds the lock while it lives. No event tells of a worker's end.
    void whenReleased(lock, stopped.signal).then((released) => released && die());
  };
  // Once it is ready, an error is one of its own affairs.
  worker.onerror = () => {
    if (state === 'starting') die();
  };

  return {
    ready,
    dead,
    forward: (connection, port) =>
      worker.postMessage({ kind: 'connect', connection } satisfies WorkerCall, transferables(connection, port)),
    stop() {
      stopped.abort();
      worker.terminate();
      die();
    },
  };
}

function transferables(connection: Connection, port: MessagePort): Transferable[] {
  if (connection.to !== 'models' || connection.job.kind !== 'import') return [port];
  return [port, connection.job.body];
}
