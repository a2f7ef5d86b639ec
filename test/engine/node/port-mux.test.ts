import { describe, expect, it } from 'vitest';
import type { Port } from '../../../src/contract/port.ts';
import { createPortMux, type Frame } from '../../../src/engine/node/port-mux.ts';

/** Two ends of a channel, the ports that came to the second, and the messages of the channel itself. */
function connect() {
  const accepted: Port[] = [];
  const messages: Frame[][] = [];
  const clone = (frames: Frame[]) => {
    messages.push(frames);
    return structuredClone(frames);
  };
  const caller = createPortMux(
    (frames) => callee.receive(clone(frames)),
    () => {
      throw new Error('only one end opens ports');
    },
  );
  const callee = createPortMux(
    (frames) => caller.receive(clone(frames)),
    (port) => accepted.push(port),
  );
  return { caller, accepted, messages };
}

const turn = () => new Promise(setImmediate);

/** Everything that a port hears from now on. */
function heard(port: Port | undefined): unknown[] {
  const data: unknown[] = [];
  if (port) port.onmessage = (event) => data.push(event.data);
  return data;
}

describe('ports over one channel', () => {
  it('carry messages both ways, in order, each port its own', async () => {
    const { caller, accepted } = connect();
    const [one, two] = [caller.open().port, caller.open().port];
    one.postMessage('a');
    two.postMessage('b');
    one.postMessage('c');
    await turn();
    const there = accepted.map(heard);
    expect(there).toEqual([['a', 'c'], ['b']]);
    const here = heard(two);
    accepted[1]?.postMessage({ back: Number.NEGATIVE_INFINITY });
    await turn();
    expect(here).toEqual([{ back: Number.NEGATIVE_INFINITY }]);
  });

  it('send what they all say in one turn as one message', async () => {
    const { caller, messages } = connect();
    for (const { port } of Array.from({ length: 16 }, () => caller.open())) port.postMessage('step');
    await turn();
    expect(messages.map((frames) => frames.length)).toEqual([16]);
  });

  it('tell when the other end has closed, also a port that was closed here before', async () => {
    const { caller, accepted } = connect();
    const { port, closed } = caller.open();
    port.postMessage('call');
    await turn();
    let done = false;
    void closed.then(() => {
      done = true;
    });
    port.close();
    await turn();
    expect(done).toBe(false);
    accepted[0]?.postMessage('too late');
    accepted[0]?.close();
    await turn();
    await turn();
    expect(done).toBe(true);
  });

  it('bring a cancel to the other end although the port is closed right after it', async () => {
    const { caller, accepted } = connect();
    const { port } = caller.open();
    port.postMessage('call');
    await turn();
    const there = heard(accepted[0]);
    port.postMessage('cancel');
    port.close();
    await turn();
    expect(there).toEqual(['call', 'cancel']);
  });
});
