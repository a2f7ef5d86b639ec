import type { ApiError } from '../../src/contract/errors.ts';
import type { Port } from '../../src/contract/port.ts';
import { holdLock, watchPort, whenReleased } from '../liveness.ts';
import { type ConnectMessage, connectionLock, type Destination, leaderLock } from '../protocol.ts';
import { engineFrozen, engineLost, noLeader } from './errors.ts';
import { findLeader, type Leader, replaceLeader, type Tabs } from './find-leader.ts';

/** A request for a connection to a worker of the leader. */
export interface Ask {
  destination: Destination;
  /** Names the API request in the log. */
  requestId: string;
  /** The page that waits for the reply. */
  askingPage: string;
  /** Objects to transfer to the leader. They can be transferred once, so such a connection is not retried. */
  transfer?: Transferable[];
  /** How long to wait for a leader, in ms. */
  waitMs?: number;
}

/** `connect` on behalf of one API request. */
export type Connect = (ask: Omit<Ask, 'requestId' | 'askingPage'>, signal: AbortSignal) => Promise<Link | null>;

/** A port to the leader's worker, which has accepted it. The first message comes in a later task. */
export interface Link {
  port: Port;
  /** Resolves when the leader is gone or frozen. */
  lost: Promise<ApiError>;
  /** Closes the port and releases the lock. A worker that still works for the request is told to cancel. */
  close: () => void;
}

type Outcome = { kind: 'accepted'; link: Link } | { kind: 'frozen' | 'gone' | 'aborted' };

/**
 * Opens a port to a worker of the leader. If the leader dies or is frozen before it accepts, the next leader is tried,
 * once. Returns null if the signal aborts first. Throws a 503 `ApiError` if no leader accepts.
 */
export async function connect(tabs: Tabs, ask: Ask, signal: AbortSignal): Promise<Link | null> {
  const first = await findLeader(tabs, { waitMs: ask.waitMs }, signal);
  if (signal.aborted) return null;
  if (!first) throw noLeader();
  const outcome = await knock(tabs, first, ask, signal);
  if (outcome.kind === 'accepted') return outcome.link;

  const failure = outcome.kind === 'frozen' ? engineFrozen() : engineLost();
  if (ask.transfer && outcome.kind !== 'aborted') throw failure;
  const next =
    outcome.kind === 'frozen'
      ? await replaceLeader(tabs, first, ask.askingPage, signal)
      : await findLeader(tabs, { after: first.epoch }, signal);
  const second = next && (await knock(tabs, next, ask, signal));
  if (signal.aborted) return null;
  if (second?.kind === 'accepted') return second.link;
  throw failure;
}

/** Sends a port to one leader and waits until it accepts. */
async function knock(
  { locks }: Tabs,
  leader: Leader,
  { destination, requestId, transfer = [] }: Ask,
  signal: AbortSignal,
): Promise<Outcome> {
  const id = crypto.randomUUID();
  const release = await holdLock(connectionLock(id), locks);
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
    // A handler makes the port listen from now on. The owner of the link sets its own handler before the next message
    // comes.
    port.onmessage = () => {};

    whenReleased(leaderLock(leader.epoch, leader.page.id), closed.signal, locks).then((gone) => {
      if (!gone) return;
      if (accepted) lose(engineLost());
      else refuse('gone');
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    const message: ConnectMessage = { kind: 'connect', connection: { ...destination, id, requestId } };
    leader.page.postMessage(message, [port2, ...transfer]);
  });
}
