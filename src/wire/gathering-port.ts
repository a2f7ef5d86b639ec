import type { Port } from '../contract/port.ts';

/** The longest time that a message waits, in ms. Nobody notices so little. */
const LONGEST_WAIT_MS = 16;

/**
 * Makes the serving end of a call send what comes quickly as one list, which `openCall` reads. To carry each token alone takes more
 * time than a small model needs to compute it. A message waits until 4 ms after the one before was sent, so what comes slower
 * is sent at once. A message for which `isUrgent` is true never waits, and takes along those that do.
 */
export function gatheringPort(port: Port, isUrgent: (message: unknown) => boolean): Port {
  let waiting: unknown[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    sentAt = performance.now();
    const messages = waiting;
    waiting = [];
    port.postMessage(messages.length === 1 ? messages[0] : messages);
  };

  return {
    postMessage(message) {
      waiting.push(message);
      const wait = sentAt + LONGEST_WAIT_MS - performance.now();
      if (wait <= 0 || isUrgent(message)) flush();
      else timer ??= setTimeout(flush, wait);
    },
    close() {
      flush();
      port.close();
    },
    get onmessage() {
      return port.onmessage;
    },
    set onmessage(handler) {
      port.onmessage = handler;
    },
  };
}
