import type { StartProblem } from '../../client/problem.ts';
import { Problem } from '../messages/problem.ts';
import type { Ground } from '../state/state.ts';

/** How far the fetch of a first visit is, in bytes. */
export interface Progress {
  completed: number;
  total: number;
}

/** The part of the client library that the page uses. */
interface ClientLibrary {
  startPaddock(options: { onProgress: (progress: Progress) => void }): Promise<unknown>;
}

/**
 * Finds out where the API answers. If it is this browser, starts it. Throws an `Error` that says why it can't be
 * started.
 */
export async function findGround(onProgress: (progress: Progress) => void): Promise<Ground> {
  const controlled = Boolean(navigator.serviceWorker?.controller);
  if (!controlled && (await serverAnswers())) return 'server';
  await startHere(onProgress);
  return 'browser';
}

/** Starts Paddock in this browser. Throws an `Error` that says why it can't be started. May load the page again. */
export async function startHere(onProgress: (progress: Progress) => void): Promise<void> {
  // The library is a separate file beside the page, as on every page that uses it.
  const library = new URL('paddock/client.js', document.baseURI).href;
  const { startPaddock } = (await import(/* @vite-ignore */ library)) as ClientLibrary;
  await startPaddock({ onProgress }).catch((error: Error) => {
    throw isStartProblem(error) ? new Problem(`start.${error.code}`, { detail: error.detail }) : error;
  });
}

/** The library has a class of its own, so an error of it is known by its name alone. */
function isStartProblem(error: Error): error is StartProblem {
  return error.name === 'StartProblem';
}

/** Has no service worker answer any more. The page has to be loaded again after that. */
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
