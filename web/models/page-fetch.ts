import { TemporaryFailure } from '../../src/catalogue/pull/patience.ts';
import type { Fetch } from '../../src/catalogue/pull/remote.ts';

/** A page can't tell a host that refuses it from a host that is down for a moment, so it retries only this often. */
const UNREACHABLE = { retries: 3 };

/**
 * Returns a fetch for files of other sites. It leaves out `if-range`, since browsers send a preflight before that
 * header and many hosts refuse preflights. Instead, the finished file is compared with the earlier version.
 */
export function createPageFetch(): Fetch {
  const reached = new Set<string>();
  return async (url, { headers: { 'if-range': _, ...headers }, signal }) => {
    const place = url.replace(/\?.*$/, '');
    try {
      // The file is stored, so the browser's cache need not keep it as well.
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
