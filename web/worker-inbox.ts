import { holdLock } from './liveness.ts';
import { ALIVE_MS, type Connection, type ConnectMessage } from './protocol.ts';

/** A worker's message to its page: it is ready for connections, or it is alive. */
export type WorkerSign = { kind: 'ready' } | { kind: 'alive' };

/** The part of a dedicated worker's global scope through which its page reaches it. */
export interface WorkerInbox {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: WorkerSign): void;
  /** The name of the worker, chosen by its page. The worker holds a lock with this name while it lives. */
  readonly name: string;
}

/** Receives the connections that the page forwards, and lets the page notice if the worker dies. */
export async function openInbox(
  inbox: WorkerInbox,
  accept: (connection: Connection, port: MessagePort) => void,
): Promise<void> {
  inbox.onmessage = ({ data, ports: [port] }: MessageEvent<ConnectMessage>) => {
    if (port) accept(data.connection, port);
  };
  await holdLock(inbox.name);
  inbox.postMessage({ kind: 'ready' });
}

/**
 * Says now, and then every `ALIVE_MS`, that this worker is alive. Only for workers that are never busy: their pages
 * take silence for a stuck worker.
 */
export function showLife(inbox: WorkerInbox): void {
  const say = () => inbox.postMessage({ kind: 'alive' });
  say();
  setInterval(say, ALIVE_MS);
}
