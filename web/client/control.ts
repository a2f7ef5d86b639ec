// On a first visit the page loads before the service worker exists, so the service worker does not control it yet.
// Without the service worker's headers the page is not cross-origin isolated either. One reload mends both. A note in
// the session storage prevents endless reloads.

import { StartProblem } from './problem.ts';
import type { Typing } from './typing.ts';

const NOTE = 'paddock-reloaded';

/** How long a new service worker may take to claim the page, in ms. */
const CLAIM_MS = 3000;

/** What a page lacks: `control` by the service worker, for the API, or `isolation`, for threads. */
export type Lack = 'control' | 'isolation' | null;

/**
 * Returns what a page does about the lack. Without control it can't go on; without isolation it can, with one thread.
 */
export function whatHelps(lack: Lack, mayReload: boolean, reloadedBefore: boolean): 'go on' | 'reload' | 'give up' {
  if (lack === null) return 'go on';
  if (mayReload && !reloadedBefore) return 'reload';
  return lack === 'control' ? 'give up' : 'go on';
}

/**
 * Resolves once the page's requests go through its service worker. May reload the page, to gain control or cross-origin
 * isolation; it waits for a pause in the user's typing first, and never resolves then. Throws a `StartProblem` if the
 * service worker does not control the page after a reload.
 */
export async function takeControl(mayReload: boolean, typing: Typing): Promise<void> {
  await whenControlled();
  const lack = lackOf();
  const step = whatHelps(lack, mayReload, sessionStorage.getItem(NOTE) === lack);
  if (step === 'go on') {
    if (lack === null) sessionStorage.removeItem(NOTE);
    return;
  }
  if (step === 'give up') {
    throw new StartProblem(
      'not_controlled',
      'Paddock can not answer this page: its service worker does not control it. Load it again, without bypassing the cache.',
    );
  }
  await typing.whenPaused();
  sessionStorage.setItem(NOTE, String(lack));
  location.reload();
  await new Promise(() => {});
}

function lackOf(): Lack {
  if (!navigator.serviceWorker.controller) return 'control';
  return crossOriginIsolated ? null : 'isolation';
}

/** Waits until the service worker controls the page, for `CLAIM_MS` at most: a new one claims the page by itself. */
async function whenControlled(): Promise<void> {
  const { serviceWorker: container } = navigator;
  await container.ready;
  if (container.controller) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLAIM_MS);
    container.addEventListener('controllerchange', () => resolve(), { once: true });
  });
  clearTimeout(timer);
}
