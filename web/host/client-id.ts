import type { PageMessage, ServiceWorkerMessage } from '../protocol.ts';

/** How long an answer may take before the question is put again; a service worker may be replaced meanwhile. In ms. */
const PATIENCE_MS = 1000;

/** This page's id as the service worker knows it. A page can't find it out by itself. */
export function learnClientId(
  registration: ServiceWorkerRegistration,
  container: ServiceWorkerContainer = navigator.serviceWorker,
): Promise<string> {
  return new Promise((resolve) => {
    const ask = () => registration.active?.postMessage({ kind: 'who-am-i' } satisfies PageMessage);
    const timer = setInterval(ask, PATIENCE_MS);
    const hear = ({ data }: MessageEvent<ServiceWorkerMessage>) => {
      if (data.kind !== 'you-are') return;
      clearInterval(timer);
      container.removeEventListener('message', hear);
      resolve(data.clientId);
    };
    container.addEventListener('message', hear);
    container.startMessages();
    ask();
  });
}
