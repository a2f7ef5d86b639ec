import type { Port } from '../src/core/wire.ts';
import { ALIVE_MS, FROZEN_AFTER_MS, type PortSign, requestLock } from './protocol.ts';

// A MessagePort never says that its other end is dead. Web Locks do: the browser releases them when their holder closes, reloads,
// crashes or is stopped. Neither of them tells of a frozen page, so the host also says regularly that it is alive.

/** What `holdLock` gives: calling it lets go of the lock. */
export type Release = () => void;

/** Waits for a lock and holds it until it is released, or until this context is gone. */
export function holdLock(name: string, locks: LockManager = navigator.locks): Promise<Release> {
  return new Promise((resolve, reject) => {
    locks.request(name, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}

/** Resolves when nobody holds the lock, also when nobody ever did. Gives true then, and false when aborted before. */
export async function whenReleased(
  name: string,
  signal: AbortSignal,
  locks: LockManager = navigator.locks,
): Promise<boolean> {
  try {
    return await locks.request(name, { mode: 'shared', signal }, () => true);
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

export interface PortWatcher {
  /** The host has the port. */
  onAccepted?: () => void;
  /** The host has said nothing for `FROZEN_AFTER_MS`. Called once; `accepted` tells whether it ever spoke. */
  onSilence: (accepted: boolean) => void;
}

/**
 * The asking end of a port, as the wire wants it, without the host's signs of life. It watches for silence from the moment that
 * `onmessage` is set until that is null again or the port closes.
 */
export function watchPort(port: MessagePort, { onAccepted, onSilence }: PortWatcher): Port {
  let handler: Port['onmessage'] = null;
  let accepted = false;
  let silentTicks = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  // Ticks, not times: on a machine that wakes up, the clock has moved but nobody has been silent.
  const tick = () => {
    silentTicks += 1;
    if (silentTicks * ALIVE_MS < FROZEN_AFTER_MS) return;
    clearInterval(timer);
    onSilence(accepted);
  };
  const receive = ({ data }: MessageEvent) => {
    silentTicks = 0;
    if (!accepted) {
      accepted = true;
      onAccepted?.();
    }
    if (!isSign(data)) handler?.({ data });
  };

  return {
    postMessage: (message) => port.postMessage(message),
    close() {
      clearInterval(timer);
      port.close();
    },
    get onmessage() {
      return handler;
    },
    set onmessage(next) {
      handler = next;
      clearInterval(timer);
      port.onmessage = next && receive;
      if (next) timer = setInterval(tick, ALIVE_MS);
    },
  };
}

/**
 * The host's end of a request's port: says at once that it is accepted and then that the host is alive, until the port is closed.
 * When the request's lock is free, its holder is done or dead, and `{ kind: 'cancel' }` comes as if it had sent that.
 */
export function hostPort(port: MessagePort, requestId: string, locks: LockManager = navigator.locks): Port {
  const closed = new AbortController();
  const say = (kind: PortSign['kind']) => port.postMessage({ kind } satisfies PortSign);
  let handler: Port['onmessage'] = null;

  say('accepted');
  const timer = setInterval(say, ALIVE_MS, 'alive');
  const watch = async () => {
    if (await whenReleased(requestLock(requestId), closed.signal, locks)) handler?.({ data: { kind: 'cancel' } });
  };

  return {
    postMessage: (message) => port.postMessage(message),
    close() {
      clearInterval(timer);
      closed.abort();
      port.close();
    },
    get onmessage() {
      return handler;
    },
    set onmessage(next) {
      const first = handler === null;
      handler = next;
      port.onmessage = next && (({ data }) => handler?.({ data }));
      // Not before somebody listens: what is free by then has to be told too.
      if (next && first) void watch();
    },
  };
}

function isSign(data: unknown): data is PortSign {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  return data.kind === 'accepted' || data.kind === 'alive';
}
