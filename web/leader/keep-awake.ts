import { connectionLock, type PageMessage } from '../protocol.ts';

/**
 * How often the service worker is woken while it reads a reply, in ms. Firefox ends a service worker 30 s after its last
 * event, and the stream of a response is none.
 */
const WAKE_MS = 10_000;

/** The part of a page by which its service worker is kept awake. */
export interface Sleeper {
  locks: Pick<LockManager, 'query'>;
  /** Sends a message to the service worker, which is an event for it. */
  wake: (message: PageMessage) => void;
}

/** Wakes the service worker now and then while it reads a reply for any page, until the returned function is called. */
export function keepAwake({ locks, wake }: Sleeper): () => void {
  const look = async () => {
    const { held = [] } = await locks.query();
    if (held.some(({ name = '' }) => name.startsWith(connectionLock('')))) wake({ kind: 'stay' });
  };
  const timer = setInterval(() => void look(), WAKE_MS);
  return () => clearInterval(timer);
}
