/** Resolves when the event loop has done what was waiting: messages, sockets, timers. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
