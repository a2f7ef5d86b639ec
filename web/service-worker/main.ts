import { MCP_WORKER, mcpWorkerPolicy } from '../../src/api/http/mcp-policy.ts';
import { createFinder } from '../../src/catalogue/pull/finder.ts';
import { PATIENCE } from '../../src/catalogue/pull/patience.ts';
import { messageOf } from '../../src/utils/error-message.ts';
import { once } from '../../src/utils/once.ts';
import { readBrowserConfig } from '../config.ts';
import { BROWSER_HUB } from '../models/browser-hub.ts';
import { readModels } from '../models/index.ts';
import { createPageFetch } from '../models/page-fetch.ts';
import {
  type BrowserModel,
  type InstallMessage,
  installChannel,
  type PageMessage,
  type ServiceWorkerMessage,
} from '../protocol.ts';
import { answer, type BrowserGround, isForApi } from './api.ts';
import { readBuiltIn, withBuiltIn } from './built-in.ts';
import { isolated } from './isolation.ts';
import { createBrowserResponseStore } from './responses.ts';
import { createRoam } from './roam.ts';
import { createShell } from './shell.ts';
import type { ShellManifest } from './shell-manifest.ts';
import { updatePage } from './update-page.ts';

declare const self: ServiceWorkerGlobalScope;
/** The build puts these values in. */
declare const PADDOCK_SHELL: ShellManifest;
declare const PADDOCK_VERSION: string;

/** A message from one version of the service worker to the next. */
interface VersionMessage {
  kind: 'take-your-turn';
}

/**
 * How long a reload may wait for the new version of the service worker, in ms. The browser activates it only once the
 * old version is idle, which may take minutes. After this time the page comes from the old version.
 */
const TURN_MS = 5000;

/** The path of the list of built-in models in the shell. */
const BUILT_IN = 'paddock/models/built-in.json';

const scope = new URL(self.registration.scope);
/** The build replaces this name by the whole list, so the name is used only once. */
const manifest = PADDOCK_SHELL;
const frames = manifest.files.filter(({ part }) => part === 'later').map(({ path }) => new URL(path, scope).href);
const shell = createShell(manifest, scope, caches);
const ground: BrowserGround = {
  tabs: {
    clients: {
      get: (id) => self.clients.get(id),
      async matchAll() {
        return (await pages()).toSorted((one, other) => Number(isSeen(other)) - Number(isSeen(one)));
      },
    },
    locks: navigator.locks,
  },
  readModels: readAllModels,
  responses: createBrowserResponseStore(),
  finder: createFinder({ hub: BROWSER_HUB, fetch: createPageFetch(), patience: PATIENCE }),
  version: PADDOCK_VERSION,
};

/** Lists the models of this version, which do not change while it runs. Throws if their list can't be read. */
const listBuiltIn = once(async () => {
  const list = await shell.serve(BUILT_IN);
  return list ? readBuiltIn(list, scope) : [];
});

const roam = createRoam({
  readConfig: readBrowserConfig,
  ask: (...request) => fetch(...request),
  now: Date.now,
  locks: navigator.locks,
});

/** The Unix time in ms at which the waiting reload began; null if no reload waits. */
let turnBegan: number | null = null;

self.addEventListener('install', (event) => event.waitUntil(install()));

self.addEventListener('activate', (event) => {
  // The pages of a first visit need no reload if the service worker claims them.
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

/** Stores the files and tells the pages the progress. Throws if a file of the engine can not be stored. */
async function install(): Promise<void> {
  const channel = new BroadcastChannel(installChannel(scope.href));
  const tell = (message: InstallMessage) => channel.postMessage(message);
  try {
    await shell.install((progress) => tell({ kind: 'progress', ...progress }));
  } catch (error) {
    tell({ kind: 'failed', message: messageOf(error) });
    throw error;
  }
}

/** Returns the response to a request; null leaves the request to the browser. */
function route(event: FetchEvent): Promise<Response> | null {
  const { request, clientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== scope.origin) return null;
  const path = pathname.startsWith(scope.pathname) ? pathname.slice(scope.pathname.length) : null;
  // If the site lies in a folder, the API is available at the root and below that folder.
  const apiPath = [pathname, `/${path}`].find((candidate) => isForApi(candidate, request));
  if (apiPath !== undefined) {
    return roam.answer({ request, path: apiPath }, (config) =>
      answer(ground, { request, path: apiPath, clientId, config }),
    );
  }
  if (request.method !== 'GET' || path === null) return null;
  if (request.mode === 'navigate') return openPage(event, path);
  if (path === MCP_WORKER) return mcpWorker(request);
  return shell.serve(path) ?? (isWorkerScript(request) ? fetch(request).then(isolated) : null);
}

/** Returns the script of the worker for one MCP server, with the security policy that a Paddock server would send. */
async function mcpWorker({ url }: Request): Promise<Response> {
  const script = await (shell.serve(MCP_WORKER) ?? fetch(url));
  const headers = new Headers(script.headers);
  headers.set('content-security-policy', mcpWorkerPolicy(new URL(url).search.slice(1)));
  return new Response(script.body, { status: script.status, headers });
}

/**
 * Answers with a page of Paddock, or of the site that Paddock is a part of. A new version of the service worker waits
 * until all tabs of the old version are closed, and a reload does not count as closed. So if the reloaded tab is the
 * only one, the new version is told to take over.
 */
async function openPage({ request, clientId }: FetchEvent, path: string): Promise<Response> {
  const { waiting } = self.registration;
  if (waiting && isReload(request) && (await isAlone(clientId))) {
    turnBegan ??= Date.now();
    if (Date.now() - turnBegan < TURN_MS) {
      waiting.postMessage({ kind: 'take-your-turn' } satisfies VersionMessage);
      return updatePage();
    }
  }
  turnBegan = null;
  return shell.serve(path) ?? isolated(await fetch(request));
}

async function readAllModels(): Promise<BrowserModel[]> {
  const [stored, builtIn] = await Promise.all([readModels(), listBuiltIn().catch(() => [])]);
  return withBuiltIn(stored, builtIn);
}

function isReload({ cache }: Request): boolean {
  return cache === 'no-cache' || cache === 'reload';
}

async function isAlone(clientId: string): Promise<boolean> {
  return (await pages()).every(({ id }) => id === clientId);
}

/** Returns all pages, without the frames that draw diagrams: a frame does not start Paddock. */
async function pages(): Promise<WindowClient[]> {
  const windows = await self.clients.matchAll({ type: 'window' });
  return windows.filter(({ url }) => !frames.includes(url));
}

function isSeen(client: WindowClient): boolean {
  return client.visibilityState === 'visible';
}

function isWorkerScript({ destination }: Request): boolean {
  return destination === 'worker' || destination === 'sharedworker';
}
