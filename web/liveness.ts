import type { Port } from '../src/contract/port.ts';
import { ALIVE_MS, connectionLock, FROZEN_AFTER_MS, type PortSign } from './protocol.ts';

// A MessagePort never says that its other end is dead. Web Locks do: the browser releases them when their holder
// closes, reloads, crashes or is stopped. Neither tells of a frozen page, so the leader also says regularly that it is
// alive.

/** Lets go of a lock. */
export type Release = () => void;

/** Waits for a lock and holds it until it is released, or until this context is gone. */
export function holdLock(name: string, locks: LockManager = navigator.locks): Promise<Release> {
  return new Promise((resolve, reject) => {
    locks.request(name, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}

/**
 * Waits until nobody holds the lock; at once if nobody ever did. Gives true then, and false when it is aborted before.
 */
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

/** Watches somebody who says regularly that it is alive. */
export interface SilenceWatch {
  /** Is to be called whenever it is heard. */
  heard(): void;
  stop(): void;
}

/**
 * Calls `onSilence`, once, after so many ms without being told that something was heard. It counts ticks and reads no
 * clock: while a machine sleeps or a page is frozen the clock moves on, but nobody has been silent.
 */
export function watchSilence(afterMs: number, onSilence: () => void): SilenceWatch {
  let silentTicks = 0;
  const timer = setInterval(() => {
    silentTicks += 1;
    if (silentTicks * ALIVE_MS < afterMs) return;
    clearInterval(timer);
    onSilence();
  }, ALIVE_MS);
  return {
    heard() {
      silentTicks = 0;
    },
    stop: () => clearInterval(timer),
  };
}

export interface PortWatcher {
  /** Called when the leader has the port. */
  onAccepted?: () => void;
  /** Called once, when the leader has said nothing for `FROZEN_AFTER_MS`. `accepted` tells whether it ever spoke. */
  onSilence: (accepted: boolean) => void;
}

/**
 * Makes the service worker's end of a port one for the wire: the leader's signs of life do not come through. It watches
 * for silence while `onmessage` is set and the port is open.
 */
export function watchPort(port: MessagePort, { onAccepted, onSilence }: PortWatcher): Port {
  let handler: Port['onmessage'] = null;
  let accepted = false;
  let watch: SilenceWatch | undefined;

  const receive = ({ data }: MessageEvent) => {
    watch?.heard();
    if (!accepted) {
      accepted = true;
      onAccepted?.();
    }
    if (!isSign(data)) handler?.({ data });
  };

  return {
    postMessage: (message) => port.postMessage(message),
    close() {
      watch?.stop();
      port.close();
    },
    get onmessage() {
      return handler;
    },
    set onmessage(next) {
      handler = next;
      watch?.stop();
      port.onmessage = next && receive;
      if (next) watch = watchSilence(FROZEN_AFTER_MS, () => onSilence(accepted));
    },
  };
}

/**
 * Makes the leader's end of a connection's port one for the wire. It says at once that the port is accepted, and then
 * regularly that the leader is alive, until the port is closed. Once the connection's lock is free, its holder is done
 * or dead: then the port receives `{ kind: 'cancel' }`, as if the holder had sent it.
 */
export function leaderPort(port: MessagePort, connectionId: string, locks: LockManager = navigator.locks): Port {
  const closed = new AbortController();
  const say = (kind: PortSign['kind']) => port.postMessage({ kind } satisfies PortSign);
  let handler: Port['onmessage'] = null;

  say('accepted');
  const timer = setInterval(say, ALIVE_MS, 'alive');
  const watch = async () => {
    if (await whenReleased(connectionLock(connectionId), closed.signal, locks)) handler?.({ data: { kind: 'cancel' } });
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
      // It starts when somebody listens, so that a lock that is free already is told too.
      if (next && first) void watch();
    },
  };
}

function isSign(data: unknown): data is PortSign {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  return data.kind === 'accepted' || data.kind === 'alive';
}
