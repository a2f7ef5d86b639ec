import type { Port } from '../../src/contract/port.ts';
import type { Call } from '../../src/wire/call.ts';
import type { Link } from './connect.ts';

/**
 * Runs a call over a link, and does nothing for null, the link of an aborted request. Closes the link when the call is over. Throws
 * what the call throws, and the `ApiError` of a lost link.
 */
export async function callOver(link: Link | null, open: (port: Port) => Call): Promise<void> {
  if (!link) return;
  try {
    const call = open(link.port);
    void link.lost.then(call.fail);
    await call.done;
  } finally {
    link.close();
  }
}
