import { createEventQueue } from './event-queue.ts';

/**
 * Turns work that emits events into an iterable of these events: the one place on the way of a token where pushing becomes pulling.
 * The work begins at once. An abort, or the end of the iteration, aborts the work's signal and ends the iteration without waiting
 * for the work. The iteration throws the error of the work.
 */
export function eventsOf<E>(
  work: (emit: (event: E) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncIterable<E> {
  const cancelled = new AbortController();
  const cancel = () => {
    cancelled.abort();
    events.end();
  };
  const events = createEventQueue<E>(cancel);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const settle = (outcome: () => void) => {
    signal.removeEventListener('abort', cancel);
    outcome();
  };
  work((event) => events.push(event), cancelled.signal).then(
    () => settle(events.end),
    (error: unknown) => settle(() => events.fail(error)),
  );
  return events;
}
