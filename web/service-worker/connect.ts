import type { ApiError } from '../../src/contract/errors.ts';
import type { Port } from '../../src/contract/port.ts';
import { holdLock, watchPort, whenReleased } from '../liveness.ts';
import { type ConnectMessage, connectionLock, type Destination, leaderLock } from '../protocol.ts';
import { engineFrozen, engineLost, noLeader } from './errors.ts';
import { findLeader, type Leader, replaceLeader, type Tabs } from './find-leader.ts';

/** A connection that is asked of the leader. */
export interface Ask {
  destination: Destination;
  /** Names the API request in the log. */
  requestId: string;
  /** The page that waits for the reply. */
  askingPage: string;
  /** Objects that go over to the leader. They go once, so a connection with them is not tried a second time. */
  transfer?: Transferable[];
  /** How long to wait for a leader, in ms. */
  waitMs?: number;
}

/** `connect` on behalf of one API request. */
export type Connect = (ask: Omit<Ask, 'requestId' | 'askingPage'>, signal: AbortSignal) => Promise<Link | null>;

/** A port to the leader's worker, which has accepted it and says nothing before the next task. */
export interface Link {
  port: Port;
  /** Resolves when the leader is gone or frozen. */
  lost: Promise<ApiError>;
  /** Lets go of everything. A worker that still works for the request is told that nobody listens. */
  close: () => void;
}

type Outcome = { kind: 'accepted'; link: Link } | { kind: 'frozen' | 'gone' | 'aborted' };

/**
 * Opens a port to a worker of the leader. When the leader dies or turns out to be frozen before it accepts, its
 * successor is tried, once. Gives null when it is aborted before. Throws a 503 `ApiError` when nobody accepts.
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

/** Sends one leader a port and waits until it accepts. */
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
    // The port listens from now on. The holder of the link sets a handler of its own before the next message can come.
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
