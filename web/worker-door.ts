import { holdLock } from './liveness.ts';
import type { Connection } from './protocol.ts';

/** What the hosting page says to its workers; a port comes with it. */
export interface WorkerCall {
  kind: 'connect';
  connection: Connection;
}

/** What a worker says to its page. */
export interface WorkerReady {
  kind: 'ready';
}

/** Where a worker takes in what its page forwards. */
export interface Door {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: WorkerReady): void;
  /** Also the name of the lock that the worker holds while it lives; its page chose it. */
  readonly name: string;
}

/** Opens a worker's door: from now on it hears of connections, and its page will notice should it die. */
export async function openDoor(door: Door, accept: (connection: Connection, port: MessagePort) => void): Promise<void> {
  door.onmessage = ({ data, ports: [port] }: MessageEvent<WorkerCall>) => {
    if (port) accept(data.connection, port);
  };
  await holdLock(door.name);
  door.postMessage({ kind: 'ready' });
}
