import type { PageMessage, ServiceWorkerMessage } from '../protocol.ts';

/** How long an answer may take before it is asked again: the service worker may be replaced meanwhile. In ms. */
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
