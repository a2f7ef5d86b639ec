import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createThreads, type Thread, type Threads } from '../../../src/pool/threads/threads.ts';

/** A thread that starts, or fails to, when the test says so. */
interface SlowThread extends Thread {
  begin(): void;
  fail(): void;
  isOver: boolean;
  usable: boolean;
}

const started: SlowThread[] = [];
let threads: Threads<SlowThread>;

function startThread(): SlowThread {
  let [begin, fail] = [() => {}, () => {}];
  const whenStarted = new Promise<void>((resolve, reject) => {
    begin = resolve;
    fail = () => reject(new Error('no thread'));
  });
  const thread: SlowThread = {
    started: whenStarted,
    begin,
    fail,
    isOver: false,
    usable: true,
    isUsable: () => thread.usable,
    end: async () => {
      thread.isOver = true;
    },
  };
  started.push(thread);
  return thread;
}

function create(most = 3): void {
  started.length = 0;
  threads = createThreads({ start: startThread, most, idleMs: 60_000 });
}

const never = new AbortController().signal;

/** Returns the number of the thread, in the order of their starts; null while the caller waits. */
async function numberOf(taken: Promise<SlowThread>): Promise<number | null> {
  await setImmediate();
  return Promise.race([taken.then((thread) => started.indexOf(thread)), setImmediate(null)]);
}

afterEach(() => threads.end());

describe('threads for tasks', () => {
  it('lets no caller wait for the start of a thread while another one is free sooner', async () => {
    create();
    threads.startSpare();
    started[0]?.begin();
    await setImmediate();
    const first = threads.take(never);
    const second = threads.take(never);
    expect(await numberOf(first)).toBe(0);
    expect(await numberOf(second), 'a second thread is starting').toBe(null);
    threads.giveBack(await first);
    expect(await numberOf(second)).toBe(0);
  });

  it('starts one thread after the other while callers wait, and no more than allowed', async () => {
    create(2);
    const callers = [threads.take(never), threads.take(never), threads.take(never)];
    expect(started.length).toBe(1);
    started[0]?.begin();
    expect(await numberOf(callers[0] as Promise<SlowThread>)).toBe(0);
    expect(started.length).toBe(2);
    started[1]?.begin();
    expect(await numberOf(callers[1] as Promise<SlowThread>)).toBe(1);
    expect(started.length).toBe(2);
    threads.giveBack(await (callers[0] as Promise<SlowThread>));
    expect(await numberOf(callers[2] as Promise<SlowThread>)).toBe(0);
  });

  it('keeps a thread that nobody waits for any more', async () => {
    create();
    const call = new AbortController();
    const left = threads.take(call.signal);
    call.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    started[0]?.begin();
    await setImmediate();
    expect(await numberOf(threads.take(never))).toBe(0);
    expect(started.length).toBe(1);
  });

  it('tells one caller that a thread has not started, and starts another for the next one', async () => {
    create();
    const [first, second] = [threads.take(never), threads.take(never)];
    started[0]?.fail();
    await expect(first).rejects.toThrow('no thread');
    started[1]?.begin();
    expect(await numberOf(second)).toBe(1);
    expect(started[0]?.isOver).toBe(true);
  });

  it('lets a caller that was told so leave later, and the next one goes on waiting', async () => {
    create();
    const call = new AbortController();
    const [first, second] = [threads.take(call.signal), threads.take(never)];
    started[0]?.fail();
    await expect(first).rejects.toThrow('no thread');
    call.abort();
    started[1]?.begin();
    expect(await numberOf(second)).toBe(1);
  });

  it('replaces a thread that can take no further task', async () => {
    create(1);
    const first = threads.take(never);
    started[0]?.begin();
    const thread = await first;
    const second = threads.take(never);
    thread.usable = false;
    threads.giveBack(thread);
    expect(thread.isOver).toBe(true);
    started[1]?.begin();
    expect(await numberOf(second)).toBe(1);
  });
});
