import { readLeaderLock, type ServiceWorkerMessage } from '../protocol.ts';
import { learnClientId } from './client-id.ts';
import { standForElection } from './election.ts';
import { keepAwake } from './keep-awake.ts';
import { type LeaderTerm, startTerm } from './term.ts';

/** A page that may lead: the leading page runs the workers for all pages of its origin. One page leads at a time. */
export interface Candidate {
  /** Stops the workers if this page leads, and lets another page lead. */
  close(): void;
}

/** How often the locks are read while a page waits for a leader, in ms. */
const LOOK_MS = 50;

/**
 * Makes this page a candidate for the lead. The workers' scripts lie in `paddock/` below the service worker's scope.
 */
export async function startCandidate(registration: ServiceWorkerRegistration): Promise<Candidate> {
  const clientId = await learnClientId(registration);
  const folder = new URL('paddock/', registration.scope);
  let term: LeaderTerm | null = null;
  const candidacy = standForElection(async (epoch, signal) => {
    const own = startTerm({ epoch, clientId, folder, signal });
    term = own;
    await own.over;
    if (term === own) term = null;
  });

  const receive = ({ data, ports: [port] }: MessageEvent<ServiceWorkerMessage>) => {
    if (data.kind === 'take-over') candidacy.takeOver(data.epoch);
    if (data.kind !== 'connect' || !port) return;
    if (term) term.forward(data.connection, port);
    // The service worker gets no event for a closed port, but notices that no message comes.
    else port.close();
  };
  navigator.serviceWorker.addEventListener('message', receive);
  const letSleep = keepAwake({
    locks: navigator.locks,
    wake: (message) => registration.active?.postMessage(message),
  });

  return {
    close() {
      letSleep();
      navigator.serviceWorker.removeEventListener('message', receive);
      candidacy.end();
    },
  };
}

/** Resolves once a page of this origin leads. */
export async function whenLed(locks: LockManager = navigator.locks): Promise<void> {
  while (!(await locks.query()).held?.some(({ name = '' }) => readLeaderLock(name))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
