import { holdLock } from './liveness.ts';
import { ALIVE_MS, type Connection, type ConnectMessage } from './protocol.ts';

/** A worker's message to its page: it takes in connections, or it is alive. */
export type WorkerSign = { kind: 'ready' } | { kind: 'alive' };

/** The part of a dedicated worker's global scope through which its page reaches it. */
export interface WorkerInbox {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: WorkerSign): void;
  /** Also the name of the lock that the worker holds while it lives; its page chose it. */
  readonly name: string;
}

/**
 * Takes in the connections that the worker's page forwards from now on, and lets the page notice should the worker die.
 */
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
 * Says now, and then every `ALIVE_MS`, that this worker is alive: its page takes it for stuck when it falls silent. Only
 * for one that is never busy.
 */
export function showLife(inbox: WorkerInbox): void {
  const say = () => inbox.postMessage({ kind: 'alive' });
  say();
  setInterval(say, ALIVE_MS);
}
