import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdLock, leaderPort, watchPort, whenReleased } from '../../web/liveness.ts';
import { ALIVE_MS, connectionLock, FROZEN_AFTER_MS } from '../../web/protocol.ts';
import { type FakeLocks, fakeLocks } from './support/locks.ts';

const never = new AbortController().signal;
const open: MessagePort[] = [];
let locks: FakeLocks;

beforeEach(() => {
  locks = fakeLocks();
});
afterEach(() => {
  vi.useRealTimers();
  for (const port of open.splice(0)) port.close();
});

/** A real channel and what arrives at its second port, in order. */
function channel() {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  return { port: port1, other: port2 };
}

/** The next message at a port. */
function next(port: MessagePort): Promise<unknown> {
  return new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
  });
}

describe('whenReleased', () => {
  it('waits until the holder lets go', async () => {
    const release = await holdLock('a', locks);
    const released = vi.fn();
    const watched = whenReleased('a', never, locks).then(released);
    await whenReleased('b', never, locks);
    expect(released).not.toHaveBeenCalled();

    release();
    await watched;
    expect(released).toHaveBeenCalledWith(true);
  });

  it('tells at once that nobody holds it', async () => {
    expect(await whenReleased('a', never, locks)).toBe(true);
  });

  it('gives false when aborted, and leaves the lock as it is', async () => {
    await holdLock('a', locks);
    const stop = new AbortController();
    const watched = whenReleased('a', stop.signal, locks);
    stop.abort();
    expect(await watched).toBe(false);
    expect((await locks.query()).held).toHaveLength(1);
  });

  it('lets many watch one lock', async () => {
    const release = await holdLock('a', locks);
    const watched = Promise.all([whenReleased('a', never, locks), whenReleased('a', never, locks)]);
    release();
    expect(await watched).toEqual([true, true]);
  });
});

describe('a watched port', () => {
  it('hides the signs of life and hands on everything else', async () => {
    const { port, other } = channel();
    const onAccepted = vi.fn();
    const watched = watchPort(port, { onAccepted, onSilence: () => {} });
    const received: unknown[] = [];
    const ended = new Promise<void>((resolve) => {
      watched.onmessage = ({ data }) => {
        received.push(data);
        if (received.length === 2) resolve();
      };
    });
    for (const message of [{ kind: 'accepted' }, { kind: 'event', event: 1 }, { kind: 'alive' }, { kind: 'end' }]) {
      other.postMessage(message);
    }
    await ended;
    expect(received).toEqual([{ kind: 'event', event: 1 }, { kind: 'end' }]);
    expect(onAccepted).toHaveBeenCalledOnce();
    watched.close();
  });

  it('tells of a leader that never spoke', () => {
    vi.useFakeTimers();
    const { port } = channel();
    const onSilence = vi.fn();
    watchPort(port, { onSilence }).onmessage = () => {};
    vi.advanceTimersByTime(FROZEN_AFTER_MS - 1);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10 * FROZEN_AFTER_MS);
    expect(onSilence.mock.calls).toEqual([[false]]);
  });

  it('tells of a leader that fell silent, counting from its last word', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { port, other } = channel();
    const onSilence = vi.fn();
    const spoken = new Promise<void>((resolve) => {
      watchPort(port, { onAccepted: resolve, onSilence }).onmessage = () => {};
    });
    vi.advanceTimersByTime(FROZEN_AFTER_MS - ALIVE_MS);
    other.postMessage({ kind: 'accepted' });
    await spoken;
    vi.advanceTimersByTime(FROZEN_AFTER_MS - ALIVE_MS);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(ALIVE_MS);
    expect(onSilence.mock.calls).toEqual([[true]]);
  });

  it('expects nothing more once it is closed or nobody listens', () => {
    vi.useFakeTimers();
    const onSilence = vi.fn();
    const closed = watchPort(channel().port, { onSilence });
    closed.onmessage = () => {};
    closed.close();
    const unheard = watchPort(channel().port, { onSilence });
    unheard.onmessage = () => {};
    unheard.onmessage = null;
    vi.advanceTimersByTime(2 * FROZEN_AFTER_MS);
    expect(onSilence).not.toHaveBeenCalled();
  });
});

describe("the leader's end of a port", () => {
  it('says that it has the request, and then that it is alive until it closes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { port, other } = channel();
    const served = leaderPort(port, '1', locks);
    expect(await next(other)).toEqual({ kind: 'accepted' });
    vi.advanceTimersByTime(ALIVE_MS);
    expect(await next(other)).toEqual({ kind: 'alive' });
    served.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives a cancel when the request has lost its lock', async () => {
    await holdLock(connectionLock('1'), locks);
    const { port, other } = channel();
    const served = leaderPort(port, '1', locks);
    const received: unknown[] = [];
    const cancelled = new Promise<void>((resolve) => {
      served.onmessage = ({ data }) => {
        received.push(data);
        if (received.length === 1) locks.die(connectionLock('1'));
        else resolve();
      };
    });
    other.postMessage({ kind: 'ask' });
    await cancelled;
    expect(received).toEqual([{ kind: 'ask' }, { kind: 'cancel' }]);
    served.close();
  });

  it('gives a cancel to who listens later than that', async () => {
    const served = leaderPort(channel().port, '1', locks);
    const message = await new Promise<unknown>((resolve) => {
      served.onmessage = ({ data }) => resolve(data);
    });
    expect(message).toEqual({ kind: 'cancel' });
    served.close();
  });

  it('stops watching when it is closed', async () => {
    await holdLock(connectionLock('1'), locks);
    const served = leaderPort(channel().port, '1', locks);
    served.onmessage = () => {};
    served.close();
    expect((await locks.query()).pending).toEqual([]);
  });
});
