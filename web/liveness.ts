import type { Port } from '../src/contract/port.ts';
import { ALIVE_MS, connectionLock, FROZEN_AFTER_MS, type PortSign } from './protocol.ts';

// A MessagePort fires no event when its other end dies. Web Locks show it: the browser releases a lock when its holder
// closes, reloads, crashes or is stopped. A frozen page keeps its locks, so the leader also says regularly that it is
// alive.

/** Releases a lock. */
export type Release = () => void;

/** Waits for a lock and returns its release. The browser releases the lock when this page or worker ends. */
export function holdLock(name: string, locks: LockManager = navigator.locks): Promise<Release> {
  return new Promise((resolve, reject) => {
    locks.request(name, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}

/** Waits until nobody holds the lock, and returns true. Returns false if the signal aborts first. */
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

/** Watches a page or worker that says regularly that it is alive. */
export interface SilenceWatch {
  /** Call it for each sign of life. */
  heard(): void;
  stop(): void;
}

/**
 * Calls `onSilence` once, after `afterMs` without a call of `heard`. It counts timer ticks instead of reading the
 * clock, because the clock also moves while the machine sleeps or the page is frozen.
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
  /** Called once the leader has the port. */
  onAccepted?: () => void;
  /**
   * Called once, after `FROZEN_AFTER_MS` without a message of the leader. `accepted` is true if the leader ever sent
   * one.
   */
  onSilence: (accepted: boolean) => void;
}

/**
 * Wraps the service worker's end of a port for the wire: it drops the leader's signs of life, and watches for silence
 * while `onmessage` is set and the port is open.
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
 * Wraps the leader's end of a connection's port for the wire. It says at once that the port is accepted, and then
 * regularly that the leader is alive, until the port is closed. Once the holder of the connection's lock releases it or
 * dies, the port receives `{ kind: 'cancel' }`, as if the holder had sent it.
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
      // The watch starts with the first listener, so that the listener also hears of a lock that is free already.
      if (next && first) void watch();
    },
  };
}

function isSign(data: unknown): data is PortSign {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return false;
  return data.kind === 'accepted' || data.kind === 'alive';
}
