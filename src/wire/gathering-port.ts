import type { Port } from '../contract/port.ts';

/** The longest time that a message waits, in ms: one frame of a display with 60 Hz. */
const LONGEST_WAIT_MS = 16;

/**
 * Wraps a port so that messages that come quickly are sent together, as a list that `openCall` reads. Sending each token in a message
 * of its own takes longer than a small model needs to compute the token. A message waits until 16 ms after the last send, so
 * messages that come more slowly are sent at once. A message for which `isUrgent` is true is sent at once, with the messages that
 * wait.
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
