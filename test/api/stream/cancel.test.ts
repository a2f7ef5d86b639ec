import { describe, expect, it } from 'vitest';
import { cancelOnReturn, cancelWith, reasonForClient, unlessEnded } from '../../../src/api/stream/cancel.ts';
import { shuttingDown } from '../../../src/contract/errors.ts';
import { streamOf } from '../fixtures.ts';

describe('a cancel that follows a signal', () => {
  it('aborts with it, and not before', () => {
    const outer = new AbortController();
    const cancel = cancelWith(outer.signal);
    expect(cancel.signal.aborted).toBe(false);
    outer.abort();
    expect(cancel.signal.aborted).toBe(true);
  });

  it('is aborted from the start when the signal is', () => {
    const outer = new AbortController();
    outer.abort();
    expect(cancelWith(outer.signal).signal.aborted).toBe(true);
  });

  it('can be aborted without it', () => {
    const outer = new AbortController();
    cancelWith(outer.signal).abort();
    expect(outer.signal.aborted).toBe(false);
  });
});

describe('work that the server may end', () => {
  it('gives its result while nothing ends it, and when only the client has gone', async () => {
    const gone = new AbortController();
    const work = unlessEnded(Promise.resolve('done'), gone.signal);
    gone.abort();
    expect(await work).toBe('done');
    await expect(unlessEnded(Promise.reject(new Error('no')), gone.signal)).rejects.toThrow('no');
  });

  it('fails at once with the reason of the server, though the work never settles', async () => {
    const ended = new AbortController();
    const work = unlessEnded(new Promise(() => {}), cancelWith(ended.signal).signal);
    const reason = shuttingDown();
    ended.abort(reason);
    await expect(work).rejects.toBe(reason);
    await expect(unlessEnded(new Promise(() => {}), ended.signal)).rejects.toBe(reason);
    expect(reasonForClient(ended.signal)).toBe(reason);
  });
});

describe('a stream that cancels', () => {
  it('cancels when its reader leaves, even while it waits', async () => {
    const cancel = new AbortController();
    async function* silent(): AsyncGenerator<string> {
      await new Promise<void>((resolve) => cancel.signal.addEventListener('abort', () => resolve()));
      yield 'late';
    }
    const reader = cancelOnReturn(silent(), cancel)[Symbol.asyncIterator]();
    const waiting = reader.next();
    const left = reader.return?.();
    expect(cancel.signal.aborted).toBe(true);
    await Promise.all([waiting, left]);
  });

  it('does not cancel when it is read to its end', async () => {
    const cancel = new AbortController();
    const seen: string[] = [];
    for await (const piece of cancelOnReturn(streamOf(['a', 'b']), cancel)) seen.push(piece);
    expect(seen).toEqual(['a', 'b']);
    expect(cancel.signal.aborted).toBe(false);
  });
});
