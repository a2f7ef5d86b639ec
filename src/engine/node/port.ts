import type { MessagePort } from 'node:worker_threads';
import type { Port } from '../../contract/port.ts';

/** Wraps Node's MessagePort as the wire's port. Node's type has no `onmessage`. */
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
