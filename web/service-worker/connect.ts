import type { ApiError } from '../../src/core/errors.ts';
import type { Port } from '../../src/core/wire.ts';
import { holdLock, watchPort, whenReleased } from '../liveness.ts';
import { type Connection, hostLock, requestLock } from '../protocol.ts';
import { engineFrozen, engineLost, noHost } from './errors.ts';
import { findHost, type Host, replaceHost, type Tabs } from './find-host.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'requestId'> : never;

/** What is asked of the host. */
export interface Ask {
  connection: WithoutId<Connection>;
  /** The page that waits for the reply. */
  askingPage: string;
  /** Goes over to the host; what has gone can't be asked twice. */
  transfer?: Transferable[];
  /** How long to wait for a host, in ms. */
  waitMs?: number;
}

/** A port to the host's worker, which has accepted it and says nothing before the next task. */
export interface Link {
  port: Port;
  /** Resolves when the host is gone or frozen. */
  lost: Promise<ApiError>;
  /** Lets go of everything; a worker that still works for this request learns that nobody listens. */
  close: () => void;
}

type Outcome = { kind: 'accepted'; link: Link } | { kind: 'frozen' | 'gone' | 'aborted' };

/**
 * Opens a port to the worker of the page that hosts it, wherever that is. A host that dies or turns out to be frozen before it
 * accepts has a successor, which is tried once. Gives null when aborted before, and throws a 503 `ApiError` when nobody accepts.
 */
export async function connect(tabs: Tabs, ask: Ask, signal: AbortSignal): Promise<Link | null> {
  const first = await findHost(tabs, { waitMs: ask.waitMs }, signal);
  if (signal.aborted) return null;
  if (!first) throw noHost();
  const outcome = await knock(tabs, first, ask, signal);
  if (outcome.kind === 'accepted') return outcome.link;

  const failure = outcome.kind === 'frozen' ? engineFrozen() : engineLost();
  if (ask.transfer && outcome.kind !== 'aborted') throw failure;
  const next =
    outcome.kind === 'frozen'
      ? await replaceHost(tabs, first, ask.askingPage, signal)
      : await findHost(tabs, { after: first.epoch }, signal);
  const second = next && (await knock(tabs, next, ask, signal));
  if (signal.aborted) return null;
  if (second?.kind === 'accepted') return second.link;
  throw failure;
}

/** Hands one host a port and waits until it accepts. */
async function knock(
  tabs: Tabs,
  host: Host,
  { connection, transfer = [] }: Ask,
  signal: AbortSignal,
): Promise<Outcome> {
  const { locks } = tabs;
  const requestId = crypto.randomUUID();
  const release = await holdLock(requestLock(requestId), locks);
  const closed = new AbortController();
  const { port1, port2 } = new MessageChannel();

  return new Promise((resolve) => {
    let accepted = false;
    let lose: (reason: ApiError) => void = () => {};
    const lost = new Promise<ApiError>((resolve) => {
      lose = resolve;
    });
    const close = () => {
      closed.abort();
      signal.removeEventListener('abort', onAbort);
      port.close();
      release();
    };
    const refuse = (kind: 'frozen' | 'gone' | 'aborted') => {
      close();
      resolve({ kind });
    };
    const onAbort = () => refuse('aborted');
    const port = watchPort(port1, {
      onAccepted: () => {
        accepted = true;
        signal.removeEventListener('abort', onAbort);
        resolve({ kind: 'accepted', link: { port, lost, close } });
      },
      onSilence: () => (accepted ? lose(engineFrozen()) : refuse('frozen')),
    });
    // Whoever gets the link sets its own before the next message can come.
    port.onmessage = () => {};

    whenReleased(hostLock(host.epoch, host.page.id), closed.signal, locks).then((gone) => {
      if (!gone) return;
      if (accepted) lose(engineLost());
      else refuse('gone');
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    const message = { kind: 'connect', connection: { ...connection, requestId } as Connection } as const;
    host.page.postMessage(message, [port2, ...transfer]);
  });
}
