import type { StartProblem } from '../../client/problem.ts';
import type { FetchProgress } from '../../client/start.ts';
import { LocalizedError } from '../messages/problem.ts';
import type { Ground } from '../state/state.ts';

/** The part of the client library that the page uses. */
interface ClientLibrary {
  startPaddock(options: { onProgress: (progress: FetchProgress) => void }): Promise<unknown>;
}

/**
 * Finds where the API runs. If it is to run in this browser, starts it. Throws an `Error` that says why the API can't
 * be started.
 */
export async function findGround(onProgress: (progress: FetchProgress) => void): Promise<Ground> {
  const controlled = Boolean(navigator.serviceWorker?.controller);
  if (!controlled && (await serverAnswers())) return 'server';
  await startHere(onProgress);
  return 'browser';
}

/** Starts Paddock in this browser. May reload the page. Throws an `Error` that says why Paddock can't be started. */
export async function startHere(onProgress: (progress: FetchProgress) => void): Promise<void> {
  // The library is a file of its own beside the page, as on every site that uses it.
  const library = new URL('paddock/client.js', document.baseURI).href;
  const { startPaddock } = (await import(/* @vite-ignore */ library)) as ClientLibrary;
  await startPaddock({ onProgress }).catch((error: Error) => {
    throw isStartProblem(error) ? new LocalizedError(`start.${error.code}`, { detail: error.detail }) : error;
  });
}

/**
 * The library is a separate bundle with its own class, so its errors are recognised by their name instead of
 * `instanceof`.
 */
function isStartProblem(error: Error): error is StartProblem {
  return error.name === 'StartProblem';
}

/** Unregisters the service worker. The page must be reloaded after that. */
export async function leaveBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await registration?.unregister();
}

async function serverAnswers(): Promise<boolean> {
  try {
    const response = await fetch('/openapi.json');
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    return info?.title === 'Paddock';
  } catch {
    return false;
  }
}
