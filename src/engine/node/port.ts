import type { MessagePort } from 'node:worker_threads';
import type { Port } from '../../contract/port.ts';

/** Turns Node's MessagePort into the wire's port. Node's type lacks `onmessage`. */
export function nodePort(port: MessagePort): Port {
  let handler: Port['onmessage'] = null;
  port.on('message', (data: unknown) => handler?.({ data }));
  return {
    postMessage: (message) => port.postMessage(message),
    close: () => port.close(),
    get onmessage() {
      return handler;
    },
    set onmessage(next) {
      handler = next;
    },
  };
}
