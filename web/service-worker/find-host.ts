import { HOST_WAIT_MS, readHostLock, type ServiceWorkerMessage } from '../protocol.ts';

/** A page, as the service worker sees it. */
export interface Page {
  readonly id: string;
  postMessage(message: ServiceWorkerMessage, transfer?: Transferable[]): void;
}

/** What the service worker can find out about the tabs of this origin; it remembers nothing of them itself. */
export interface Tabs {
  clients: {
    get(id: string): Promise<Page | undefined>;
    /** Those that are looked at come first. */
    matchAll(): Promise<readonly Page[]>;
  };
  locks: LockManager;
}

/** The page whose workers run the models. */
export interface Host {
  page: Page;
  epoch: number;
}

/** A lock that is granted tells nobody but its holder. */
const LOOK_EVERY_MS = 50;

/** The newest host of an epoch after `after`, or null when there is none within `waitMs`, or when aborted before. */
export async function findHost(
  tabs: Tabs,
  { after = -1, waitMs = HOST_WAIT_MS }: { after?: number | undefined; waitMs?: number | undefined },
  signal: AbortSignal,
): Promise<Host | null> {
  for (let waited = 0; !signal.aborted; waited += LOOK_EVERY_MS) {
    const host = await newestHost(tabs, after);
    if (host || waited >= waitMs) return host;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

/** Asks one page after another to take the place of a frozen host, the one that waits for its reply first. */
export async function replaceHost(
  tabs: Tabs,
  frozen: Host,
  askingPage: string,
  signal: AbortSignal,
): Promise<Host | null> {
  const others = (await tabs.clients.matchAll()).filter(({ id }) => id !== frozen.page.id);
  const candidates = [...others.filter(({ id }) => id === askingPage), ...others.filter(({ id }) => id !== askingPage)];
  for (const candidate of candidates) {
    candidate.postMessage({ kind: 'take-over', epoch: frozen.epoch + 1 });
    const host = await findHost(tabs, { after: frozen.epoch }, signal);
    if (host || signal.aborted) return host;
  }
  return null;
}

async function newestHost({ clients, locks }: Tabs, after: number): Promise<Host | null> {
  const { held = [] } = await locks.query();
  const hosts = held
    .flatMap(({ name }) => readHostLock(name ?? '') ?? [])
    .filter(({ epoch }) => epoch > after)
    .toSorted((one, other) => other.epoch - one.epoch);
  for (const { epoch, clientId } of hosts) {
    // Whoever watches the lock of a page that is gone holds it for a moment.
    const page = await clients.get(clientId);
    if (page) return { page, epoch };
  }
  return null;
}
