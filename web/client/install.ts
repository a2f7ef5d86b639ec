import { type InstallMessage, installChannel } from '../protocol.ts';
import { allowed } from './needs.ts';
import { StartProblem } from './problem.ts';

/** The reason of a failed install arrives after the failure itself: at most this much later, in ms. */
const REASON_MS = 500;

/**
 * Registers the service worker and waits until it is installed, which means that it has stored all files that it needs.
 * `folder` is the folder of its script.
 *
 * @throws Error that says why the install failed. The next call tries again and fetches only the missing files.
 */
export async function install(
  folder: URL,
  onProgress: (progress: { completed: number; total: number }) => void,
): Promise<ServiceWorkerRegistration> {
  const channel = new BroadcastChannel(installChannel(folder.href));
  let tellReason = (_: string) => {};
  const reason = new Promise<string>((resolve) => {
    tellReason = resolve;
  });
  channel.onmessage = ({ data }: MessageEvent<InstallMessage>) => {
    if (data.kind === 'progress') onProgress({ completed: data.completed, total: data.total });
    else tellReason(data.message);
  };
  try {
    const registration = await allowed(register(folder));
    // A version that is active already keeps working, even if the install of the new one fails.
    if (registration.active) return registration;
    if (await isInstalled(registration)) return registration;
    const timeout = new Promise<string>((resolve) => setTimeout(resolve, REASON_MS, 'the browser does not say why.'));
    const why = await Promise.race([reason, timeout]);
    const detail = why.replace(/\.?$/, '.');
    throw new StartProblem('not_installed', `Paddock could not be set up in this browser: ${detail}`, detail);
  } finally {
    channel.close();
  }
}

async function register(folder: URL): Promise<ServiceWorkerRegistration> {
  const script = new URL('service-worker.js', folder);
  try {
    return await navigator.serviceWorker.register(script, { scope: folder.href });
  } catch (error) {
    // Browsers throw a TypeError if the script can't be fetched.
    if (!(error instanceof TypeError)) throw error;
    throw new StartProblem(
      'worker_unreachable',
      `Paddock’s service worker can not be fetched from ${script.href}. Does the site still answer, and is the file there?`,
      script.href,
    );
  }
}

/** Resolves to false if the install fails. */
function isInstalled(registration: ServiceWorkerRegistration): Promise<boolean> {
  const worker = registration.installing ?? registration.waiting;
  return new Promise((resolve) => {
    const look = () => {
      if (!worker || worker.state === 'redundant') resolve(false);
      else if (worker.state !== 'installing') resolve(true);
    };
    worker?.addEventListener('statechange', look);
    look();
  });
}
