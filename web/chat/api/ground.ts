import { isHealth } from '../data/health.ts';
import type { Ground } from '../data/state.ts';

/** What the page uses of the client library. */
interface ClientLibrary {
  startPaddock(): Promise<unknown>;
}

/**
 * Finds out where the API answers, and starts it where that is this very browser. Throws an `Error` that says why it
 * can't be started.
 */
export async function findGround(): Promise<Ground> {
  const controlled = Boolean(navigator.serviceWorker?.controller);
  if (!controlled && (await serverAnswers())) return 'server';
  // The library is a file of its own beside the page, as every page that uses it has it.
  const library = new URL('paddock/client.js', document.baseURI).href;
  const { startPaddock } = (await import(/* @vite-ignore */ library)) as ClientLibrary;
  await startPaddock();
  return 'browser';
}

async function serverAnswers(): Promise<boolean> {
  try {
    const response = await fetch('/health');
    return response.ok && isHealth(await response.json());
  } catch {
    return false;
  }
}
