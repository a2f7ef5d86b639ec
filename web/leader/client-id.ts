import type { PageMessage, ServiceWorkerMessage } from '../protocol.ts';

/** The page asks again after this time, in ms: the service worker may have been replaced before it answered. */
const PATIENCE_MS = 1000;

/** Asks the service worker for this page's id, which a page can't find out by itself. */
export function learnClientId(
  registration: ServiceWorkerRegistration,
  container: ServiceWorkerContainer = navigator.serviceWorker,
): Promise<string> {
  return new Promise((resolve) => {
    const ask = () => registration.active?.postMessage({ kind: 'who-am-i' } satisfies PageMessage);
    const timer = setInterval(ask, PATIENCE_MS);
    const receive = ({ data }: MessageEvent<ServiceWorkerMessage>) => {
      if (data.kind !== 'you-are') return;
      clearInterval(timer);
      container.removeEventListener('message', receive);
      resolve(data.clientId);
    };
    container.addEventListener('message', receive);
    container.startMessages();
    ask();
  });
}
