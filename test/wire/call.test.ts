import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { nodePort } from '../../src/engine/node/port.ts';
import { openCall, type Serve, serveCall } from '../../src/wire/call.ts';

/** Calls with the number 7 over a real port. `serve` decides what comes back. */
function connect(serve: Serve<number, string>, signal = new AbortController().signal) {
  const { port1, port2 } = new MessageChannel();
  const onFailure = vi.fn<(error: unknown, context: CallContext) => void>();
  const served = serveCall(nodePort(port2), serve, onFailure);
  const seen: string[] = [];
  const note = (event: string) => void seen.push(event);
  return { ...openCall(nodePort(port1), 7, note, { requestId: 'req-1', signal }), seen, served, onFailure };
}

describe('a call', () => {
  it('brings what is asked for across with the id of its request, and the events back in order', async () => {
    const { done, seen, served, onFailure } = connect(async (call, emit, { requestId }) => {
      emit(`${call} for ${requestId}`);
      emit('more');
    });
    await done;
    expect(seen).toEqual(['7 for req-1', 'more']);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('tells the serving side which request an unexpected error belongs to, and the caller only that it failed', async () => {
    const broken = new TypeError('inside');
    const { done, served, onFailure } = connect(async () => {
      throw broken;
    });
    await expect(done).rejects.toBeInstanceOf(ApiError);
    await served;
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(broken, expect.objectContaining({ requestId: 'req-1' }));
  });

  it('is cancelled by its own signal alone', async () => {
    const caller = new AbortController();
    let cancelled = false;
    const { done, seen, served } = connect(async (_, emit, { signal }) => {
      emit('begun');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      cancelled = true;
    }, caller.signal);
    await expect.poll(() => seen).toEqual(['begun']);
    caller.abort();
    await done;
    await served;
    expect(cancelled).toBe(true);
  });

  it('is cancelled and fails when the caller can not take an event, and nothing is emitted any more', async () => {
    const { port1, port2 } = new MessageChannel();
    let cancelled = false;
    const served = serveCall<number, string>(
      nodePort(port2),
      async (_, emit, { signal }) => {
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        for (const event of ['a', 'b', 'c']) emit(event);
        await aborted;
        cancelled = true;
      },
      () => {},
    );
    const seen: string[] = [];
    const refuse = (event: string) => {
      seen.push(event);
      throw new TypeError(`no ${event}`);
    };
    const signal = new AbortController().signal;
    await expect(openCall(nodePort(port1), 7, refuse, { requestId: 'req-1', signal }).done).rejects.toThrow('no a');
    await served;
    expect([seen, cancelled]).toEqual([['a'], true]);
  });
});
