import type { Port } from '../../src/contract/port.ts';
import type { Call } from '../../src/wire/wire.ts';
import type { Link } from './connect.ts';

/**
 * Yields the events of a call over a link; none for null, the link of an aborted request. A lost link fails the call.
 * The link is closed when the call is over.
 */
export async function* callOver<E>(link: Link | null, open: (port: Port) => Call<E>): AsyncGenerator<E> {
  if (!link) return;
  try {
    const call = open(link.port);
    void link.lost.then(call.fail);
    yield* call.events;
  } finally {
    link.close();
  }
}
