import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { nodePort } from '../../src/engine/node/port.ts';
import { openCall, type Serve, serveCall } from '../../src/wire/wire.ts';
import { collect } from '../api/fixtures.ts';

/** Calls with the number 7 over a real port. `serve` decides what comes back. */
function connect(serve: Serve<number, string>, signal = new AbortController().signal) {
  const { port1, port2 } = new MessageChannel();
  const onFailure = vi.fn<(error: unknown, context: CallContext) => void>();
  const served = serveCall(nodePort(port2), serve, onFailure);
  return { ...openCall<number, string>(nodePort(port1), 7, { requestId: 'req-1', signal }), served, onFailure };
}

describe('a call', () => {
  it('brings what is asked for across with the id of its request, and the events back in order', async () => {
    const { events, served, onFailure } = connect(async (call, emit, { requestId }) => {
      emit(`${call} for ${requestId}`);
      emit('more');
    });
    expect(await collect(events)).toEqual(['7 for req-1', 'more']);
    await served;
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('tells the serving side which request an unexpected error belongs to, and the caller only that it failed', async () => {
    const broken = new TypeError('inside');
    const { events, served, onFailure } = connect(async () => {
      throw broken;
    });
    await expect(collect(events)).rejects.toBeInstanceOf(ApiError);
    await served;
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(broken, expect.objectContaining({ requestId: 'req-1' }));
  });

  it('is cancelled by its own signal alone', async () => {
    const caller = new AbortController();
    let cancelled = false;
    const { events, served } = connect(async (_, emit, { signal }) => {
      emit('begun');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      cancelled = true;
    }, caller.signal);
    for await (const _ of events) caller.abort();
    await served;
    expect(cancelled).toBe(true);
  });
});
