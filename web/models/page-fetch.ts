import { TemporaryFailure } from '../../src/catalogue/pull/patience.ts';
import type { Fetch } from '../../src/catalogue/pull/remote.ts';

/** A host that lets no page read is told from one that is down by nothing but its lasting. */
const UNREACHABLE = { retries: 3 };

/**
 * A fetch for pages that read of hosts that know nothing of them. No header is sent that would have the host asked for leave
 * first, since many give none: it is compared afterwards whether a file is still the same.
 */
export function createPageFetch(): Fetch {
  const reached = new Set<string>();
  return async (url, { headers: { 'if-range': _, ...headers }, signal }) => {
    const place = url.replace(/\?.*$/, '');
    try {
      // What is stored need not be in the browser's cache as well.
      const response = await fetch(url, { headers, signal, credentials: 'omit', cache: 'no-store' });
      reached.add(place);
      return response;
    } catch (error) {
      if (signal.aborted || !navigator.onLine || reached.has(place)) throw error;
      throw new TemporaryFailure(
        `${new URL(url).host} can't be read from this page: it is down, or lets no page of another site read its files (CORS). ` +
          'If the link works in a tab of its own, download the file there and import it from the disk',
        UNREACHABLE,
      );
    }
  };
}
