import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Port } from '../../src/contract/port.ts';
import { gatheringPort } from '../../src/wire/gathering-port.ts';

let sent: unknown[];
let closed: boolean;
let port: Port;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  closed = false;
  const plain: Port = {
    postMessage: (message) => sent.push(message),
    close: () => {
      closed = true;
    },
    onmessage: null,
  };
  port = gatheringPort(plain, (message) => message === 'urgent');
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a gathering port', () => {
  it('sends the first message at once, and those that follow quickly as one list 16 ms after it', () => {
    for (const message of [1, 2, 3]) port.postMessage(message);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(15);
    port.postMessage(4);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, [2, 3, 4]]);
  });

  it('sends what comes slower than that at once, each by itself', () => {
    for (const message of [1, 2, 3]) {
      port.postMessage(message);
      vi.advanceTimersByTime(17);
    }
    expect(sent).toEqual([1, 2, 3]);
  });

  it('sends an urgent message at once, after those that wait', () => {
    for (const message of [1, 2, 'urgent']) port.postMessage(message);
    expect(sent).toEqual([1, [2, 'urgent']]);
    vi.advanceTimersByTime(100);
    expect(sent).toHaveLength(2);
  });

  it('sends what waits before it is closed, and nothing after it', () => {
    port.postMessage(1);
    port.postMessage('end');
    port.close();
    expect(sent).toEqual([1, 'end']);
    expect(closed).toBe(true);
    vi.advanceTimersByTime(100);
    expect(sent).toHaveLength(2);
  });
});
