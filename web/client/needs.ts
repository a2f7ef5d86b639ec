import { StartProblem } from './problem.ts';

/** Throws a `StartProblem` if this browser or page lacks a feature that Paddock needs. The message says what helps. */
export function checkNeeds(): void {
  if (!isSecureContext) {
    const scheme = location.protocol.slice(0, -1);
    throw new StartProblem(
      'insecure_page',
      `Paddock runs in a service worker, and browsers allow that by https or on localhost alone. This page came by ${scheme} from ${location.host}: open it by https.`,
      location.host,
    );
  }
  if (!('serviceWorker' in navigator) || !('locks' in navigator)) {
    throw new StartProblem(
      'missing_features',
      'Paddock needs service workers and Web Locks, which this browser does not have here. A private window may be the reason: try a normal one, or another browser.',
    );
  }
}

/**
 * Waits for a promise that rejects if the browser denies storage or service workers. Throws a `StartProblem` that says
 * what helps.
 */
export async function allowed<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    const denied =
      error.name === 'SecurityError' || error.name === 'NotAllowedError' || error.name === 'InvalidStateError';
    if (!denied) throw error;
    throw new StartProblem(
      'storage_denied',
      'This browser lets the site store nothing, so Paddock can not run in it. Allow this site to store data (cookies), or leave the private window, and load the page again.',
    );
  }
}
