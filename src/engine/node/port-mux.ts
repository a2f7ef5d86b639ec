import type { Port } from '../../contract/port.ts';

/** A message of one port on the channel that many ports share. `closed` is the last frame of a port. */
export type Frame = { port: number; message: unknown } | { port: number; closed: true };

/** Many ports over one channel, such as the one between a process and its child. */
export interface PortMux {
  /**
   * Opens a port. The other end learns of it by the first message. `closed` resolves when the other end has closed the
   * port.
   */
  open(): { port: Port; closed: Promise<void> };
  /** To be called with the frames that the other end sent. */
  receive(frames: Frame[]): void;
}

interface PortState {
  handler: Port['onmessage'];
  /** The messages that came before a handler was set. */
  early: unknown[];
  closedHere: boolean;
  closedThere: boolean;
  onClosedThere: () => void;
}

/**
 * Makes one end of the channel. The frames of all ports in one turn of the event loop are sent as one message: with 16
 * slots, that is one message per step instead of 16.
 *
 * @param send sends frames to the other end
 * @param accept called with each port that the other end opens; only one of the two ends opens ports
 */
export function createPortMux(send: (frames: Frame[]) => void, accept: (port: Port) => void): PortMux {
  const states = new Map<number, PortState>();
  let opened = 0;
  let outbox: Frame[] = [];

  const flush = () => {
    const frames = outbox;
    outbox = [];
    send(frames);
  };
  const post = (frame: Frame) => {
    if (outbox.length === 0) setImmediate(flush);
    outbox.push(frame);
  };

  const add = (id: number, onClosedThere: () => void): Port => {
    const state: PortState = { handler: null, early: [], closedHere: false, closedThere: false, onClosedThere };
    states.set(id, state);
    return {
      postMessage(message) {
        if (!state.closedHere && !state.closedThere) post({ port: id, message });
      },
      close() {
        if (state.closedHere) return;
        state.closedHere = true;
        post({ port: id, closed: true });
        if (state.closedThere) states.delete(id);
      },
      get onmessage() {
        return state.handler;
      },
      set onmessage(handler) {
        state.handler = handler;
        while (state.handler && state.early.length > 0) state.handler({ data: state.early.shift() });
      },
    };
  };

  const take = (frame: Frame) => {
    const state = states.get(frame.port);
    if (!state) return;
    if ('closed' in frame) {
      state.closedThere = true;
      if (state.closedHere) states.delete(frame.port);
      state.onClosedThere();
    } else if (!state.closedHere) {
      if (state.handler) state.handler({ data: frame.message });
      else state.early.push(frame.message);
    }
  };

  return {
    open() {
      const id = opened++;
      let onClosedThere = () => {};
      const closed = new Promise<void>((resolve) => {
        onClosedThere = resolve;
      });
      return { port: add(id, onClosedThere), closed };
    },
    receive(frames) {
      for (const frame of frames) {
        // The first frame of a new port is a message. A `closed` frame of an unknown port belongs to one that was
        // closed before.
        if (!states.has(frame.port) && 'message' in frame) accept(add(frame.port, () => {}));
        take(frame);
      }
    },
  };
}
