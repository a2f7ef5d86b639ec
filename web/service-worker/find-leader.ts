import { LEADER_WAIT_MS, readLeaderLock, type ServiceWorkerMessage } from '../protocol.ts';

/** A page, as the service worker sees it. */
export interface Page {
  readonly id: string;
  postMessage(message: ServiceWorkerMessage, transfer?: Transferable[]): void;
}

/**
 * The tabs of this origin. The browser may stop the service worker at any time, so it asks for them each time and
 * remembers nothing.
 */
export interface Tabs {
  clients: {
    get(id: string): Promise<Page | undefined>;
    /** Visible pages come first. */
    matchAll(): Promise<readonly Page[]>;
  };
  locks: LockManager;
}

/** The page that runs the workers. */
export interface Leader {
  page: Page;
  epoch: number;
}

/**
 * How often the locks are read, in ms. The browser tells only the holder that a lock is granted, so there is no event.
 */
const LOOK_EVERY_MS = 50;

/**
 * Returns the leader with the highest epoch above `after`. Returns null if there is none within `waitMs` (in ms), or if
 * the signal aborts first.
 */
export async function findLeader(
  tabs: Tabs,
  { after = -1, waitMs = LEADER_WAIT_MS }: { after?: number | undefined; waitMs?: number | undefined },
  signal: AbortSignal,
): Promise<Leader | null> {
  for (let waited = 0; !signal.aborted; waited += LOOK_EVERY_MS) {
    const leader = await newestLeader(tabs, after);
    if (leader || waited >= waitMs) return leader;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

/**
 * Asks one page after another to take over from a frozen leader, starting with the page that waits for the reply.
 * Returns the new leader; null if no page takes over.
 */
export async function replaceLeader(
  tabs: Tabs,
  frozen: Leader,
  askingPage: string,
  signal: AbortSignal,
): Promise<Leader | null> {
  const others = (await tabs.clients.matchAll()).filter(({ id }) => id !== frozen.page.id);
  const candidates = [...others.filter(({ id }) => id === askingPage), ...others.filter(({ id }) => id !== askingPage)];
  for (const candidate of candidates) {
    candidate.postMessage({ kind: 'take-over', epoch: frozen.epoch + 1 });
    const leader = await findLeader(tabs, { after: frozen.epoch }, signal);
    if (leader || signal.aborted) return leader;
  }
  return null;
}

async function newestLeader({ clients, locks }: Tabs, after: number): Promise<Leader | null> {
  const { held = [] } = await locks.query();
  const leaders = held
    .flatMap(({ name }) => readLeaderLock(name ?? '') ?? [])
    .filter(({ epoch }) => epoch > after)
    .toSorted((one, other) => other.epoch - one.epoch);
  for (const { epoch, clientId } of leaders) {
    // A waiter for a leader's lock holds it for a moment after the leader's end, so a held lock alone does not prove
    // that the leader exists.
    const page = await clients.get(clientId);
    if (page) return { page, epoch };
  }
  return null;
}
