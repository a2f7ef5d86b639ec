import { readHostLock, type ServiceWorkerMessage } from '../protocol.ts';
import { learnClientId } from './client-id.ts';
import { standForHost } from './election.ts';
import { startTerm, type Term } from './term.ts';

/** A page's readiness to run the engine for all pages of its origin. One of them does at a time. */
export interface Host {
  /** Stops the workers that this page runs, if it does, and leaves them to the other pages. */
  close(): void;
}

/** How often the locks are looked at while a host is awaited, in ms. */
const LOOK_MS = 50;

/** Makes this page one that may host. The workers' scripts lie in `paddock/` below the service worker's scope. */
export async function startHost(registration: ServiceWorkerRegistration): Promise<Host> {
  const clientId = await learnClientId(registration);
  const folder = new URL('paddock/', registration.scope);
  let term: Term | null = null;
  const candidacy = standForHost(async (epoch, signal) => {
    const own = startTerm({ epoch, clientId, folder, signal });
    term = own;
    await own.over;
    if (term === own) term = null;
  });

  const hear = ({ data, ports: [port] }: MessageEvent<ServiceWorkerMessage>) => {
    if (data.kind === 'take-over') candidacy.takeOver(data.epoch);
    if (data.kind !== 'connect' || !port) return;
    // Whoever asks finds out by itself that a port is closed: nothing comes.
    if (term) term.forward(data.connection, port);
    else port.close();
  };
  navigator.serviceWorker.addEventListener('message', hear);

  return {
    close() {
      navigator.serviceWorker.removeEventListener('message', hear);
      candidacy.end();
    },
  };
}

/** Resolves once some page of this origin hosts. */
export async function whenHosted(locks: LockManager = navigator.locks): Promise<void> {
  while (!(await locks.query()).held?.some(({ name = '' }) => readHostLock(name))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
