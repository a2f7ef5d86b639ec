import { readConfig } from '../config.ts';
import { readModels } from '../models/index.ts';
import type { BrowserModel, PageMessage, ServiceWorkerMessage } from '../protocol.ts';
import { answer, type BrowserGround, isApiPath } from './api.ts';
import { readBuiltIn, withBuiltIn } from './built-in.ts';
import { isolated } from './isolation.ts';
import { createShell } from './shell.ts';
import type { ShellManifest } from './shell-manifest.ts';

declare const self: ServiceWorkerGlobalScope;
/** Put in by the build. */
declare const PADDOCK_SHELL: ShellManifest;
declare const PADDOCK_VERSION: string;

/** What one version of the service worker says to the one that is to follow it. */
interface VersionMessage {
  kind: 'take-your-turn';
}

/** In the shell. */
const BUILT_IN = 'paddock/models/built-in.json';

const scope = new URL(self.registration.scope);
const shell = createShell(PADDOCK_SHELL, scope, caches);
const ground: BrowserGround = {
  tabs: {
    clients: {
      get: (id) => self.clients.get(id),
      async matchAll() {
        const windows = await self.clients.matchAll({ type: 'window' });
        return windows.toSorted((one, other) => Number(isSeen(other)) - Number(isSeen(one)));
      },
    },
    locks: navigator.locks,
  },
  readConfig,
  readModels: readAllModels,
  version: PADDOCK_VERSION,
};

self.addEventListener('install', (event) => event.waitUntil(shell.install()));

self.addEventListener('activate', (event) => {
  // The pages of a first visit are ours from now on, without being loaded anew.
  event.waitUntil(shell.dropOthers().then(() => self.clients.claim()));
});

self.addEventListener('message', (event) => {
  const { kind } = event.data as PageMessage | VersionMessage;
  if (kind === 'take-your-turn') return void self.skipWaiting();
  const page = event.source as Client | null;
  if (kind === 'who-am-i') page?.postMessage({ kind: 'you-are', clientId: page.id } satisfies ServiceWorkerMessage);
});

self.addEventListener('fetch', (event) => {
  const response = route(event);
  if (response) event.respondWith(response);
});

/** Null for what is left to the browser. */
function route(event: FetchEvent): Promise<Response> | null {
  const { request, clientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== scope.origin) return null;
  const path = pathname.startsWith(scope.pathname) ? pathname.slice(scope.pathname.length) : null;
  // In a folder of a site, the API is below that folder as well as where it always is.
  const apiPath = [pathname, `/${path}`].find(isApiPath);
  if (apiPath !== undefined) return answer(ground, { request, path: apiPath, clientId });
  if (request.method !== 'GET' || path === null) return null;
  if (request.mode === 'navigate') return openPage(event, path);
  return shell.serve(path) ?? (isWorkerScript(request) ? fetch(request).then(isolated) : null);
}

/**
 * A page of ours, or of the site that we are a part of. A new version of us waits until all tabs of the old one are gone. A
 * tab that is reloaded is not, as the browser sees it; but when it is the last one, nobody is left for whom we should stay.
 */
async function openPage({ request, clientId }: FetchEvent, path: string): Promise<Response> {
  const { waiting } = self.registration;
  if (waiting && isReload(request) && (await isAlone(clientId))) {
    waiting.postMessage({ kind: 'take-your-turn' } satisfies VersionMessage);
    return new Response(null, { headers: { refresh: '0' } });
  }
  return shell.serve(path) ?? isolated(await fetch(request));
}

async function readAllModels(): Promise<BrowserModel[]> {
  const [stored, builtIn] = await Promise.all([readModels(), shell.serve(BUILT_IN)?.catch(() => null)]);
  return withBuiltIn(stored, builtIn ? await readBuiltIn(builtIn, scope) : []);
}

function isReload({ cache }: Request): boolean {
  return cache === 'no-cache' || cache === 'reload';
}

async function isAlone(clientId: string): Promise<boolean> {
  return (await self.clients.matchAll({ type: 'window' })).every(({ id }) => id === clientId);
}

function isSeen(client: WindowClient): boolean {
  return client.visibilityState === 'visible';
}

function isWorkerScript({ destination }: Request): boolean {
  return destination === 'worker' || destination === 'sharedworker';
}
