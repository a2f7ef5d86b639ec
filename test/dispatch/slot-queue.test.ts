import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Party } from '../../src/contract/call-context.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { createSlotQueue, type SlotQueue } from '../../src/dispatch/slot-queue.ts';

const never = new AbortController().signal;

/** Waits for one or several slots and records the name when it gets them. */
async function take(queue: SlotQueue, name: string, order: string[], signal: AbortSignal = never, count = 1) {
  const release = await queue.acquire(signal, count);
  order.push(release ? name : `${name} left`);
  return release ?? (() => {});
}

const settled = () => new Promise(setImmediate);

/** Makes callers that come, leave and free slots. It checks that they are served in the order of arrival. */
function createCallers(queue: SlotQueue) {
  const waiting: { count: number }[] = [];
  const releases: (() => void)[] = [];
  const aborts: AbortController[] = [];
  return {
    waiting,
    acquire(count: number) {
      const controller = new AbortController();
      const caller = { count };
      const leave = () => waiting.splice(waiting.indexOf(caller), 1);
      aborts.push(controller);
      waiting.push(caller);
      queue.acquire(controller.signal, count).then((release) => {
        if (release) expect(waiting[0]).toBe(caller);
        if (release) releases.push(release);
        leave();
      }, leave);
    },
    release: (pick: number) => releases.splice(pick % (releases.length || 1), 1)[0]?.(),
    abort: (pick: number) => aborts[pick % (aborts.length || 1)]?.abort(),
    async releaseAll() {
      while (releases.length > 0) {
        for (const release of releases.splice(0)) release();
        await settled();
      }
    },
  };
}

describe('slot queue', () => {
  it('hands out as many slots as there are', async () => {
    const queue = createSlotQueue(2, 0);
    expect(await queue.acquire(never)).toBeTypeOf('function');
    expect(await queue.acquire(never)).toBeTypeOf('function');
    expect(queue).toMatchObject({ busy: 2, waiting: 0 });
  });

  it('gives a free slot to the caller that has waited longest', async () => {
    const queue = createSlotQueue(1, 8);
    const order: string[] = [];
    const releaseFirst = await take(queue, 'first', order);
    const second = take(queue, 'second', order);
    const third = take(queue, 'third', order);
    expect(queue).toMatchObject({ busy: 1, waiting: 2 });

    releaseFirst();
    (await second)();
    (await third)();
    expect(order).toEqual(['first', 'second', 'third']);
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('lets no new caller overtake those that wait', async () => {
    const queue = createSlotQueue(1, 8);
    const order: string[] = [];
    const release = await take(queue, 'first', order);
    void take(queue, 'waiting', order);
    release();
    void take(queue, 'newcomer', order);
    await settled();
    expect(order).toEqual(['first', 'waiting']);
  });

  it('answers 503 with Retry-After when it is full', async () => {
    const queue = createSlotQueue(1, 1);
    await queue.acquire(never);
    void queue.acquire(never);
    const error = await queue.acquire(never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ data: { status: 503, type: 'overloaded', code: 'overloaded' } });
    expect(Number((error as ApiError).data.headers?.['retry-after'])).toBeGreaterThan(0);
    expect(queue).toMatchObject({ busy: 1, waiting: 1 });
  });

  it('has a free place again when a caller has been served', async () => {
    const queue = createSlotQueue(1, 1);
    const release = await queue.acquire(never);
    void queue.acquire(never);
    release?.();
    await settled();
    const third = queue.acquire(never);
    expect(queue.waiting).toBe(1);
    await expect(queue.acquire(never)).rejects.toThrow();
    void third;
  });

  it('gives null to a caller that gave up before', async () => {
    const queue = createSlotQueue(1, 1);
    expect(await queue.acquire(AbortSignal.abort())).toBeNull();
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('lets a caller give up without disturbing the others', async () => {
    const queue = createSlotQueue(1, 8);
    const order: string[] = [];
    const gone = new AbortController();
    const release = await take(queue, 'first', order);
    void take(queue, 'second', order);
    void take(queue, 'impatient', order, gone.signal);
    const fourth = take(queue, 'fourth', order);
    gone.abort();
    await settled();
    expect(queue).toMatchObject({ busy: 1, waiting: 2 });
    release();
    await settled();
    expect(order).toEqual(['first', 'impatient left', 'second']);
    expect(queue).toMatchObject({ busy: 1, waiting: 1 });
    void fourth;
  });

  it('has a free place again when a caller has given up', async () => {
    const queue = createSlotQueue(1, 1);
    const gone = new AbortController();
    await queue.acquire(never);
    void queue.acquire(gone.signal);
    gone.abort();
    void queue.acquire(never);
    expect(queue.waiting).toBe(1);
  });

  it('takes no slot back from a caller that gives up after it got the slot', async () => {
    const queue = createSlotQueue(1, 1);
    const gone = new AbortController();
    const release = await queue.acquire(gone.signal);
    gone.abort();
    expect(queue.busy).toBe(1);
    release?.();
    expect(queue.busy).toBe(0);
  });

  it('is not harmed by a slot that is released twice', async () => {
    const queue = createSlotQueue(1, 8);
    const order: string[] = [];
    const release = await take(queue, 'first', order);
    void take(queue, 'second', order);
    void take(queue, 'third', order);
    release();
    release();
    await settled();
    release();
    expect(order).toEqual(['first', 'second']);
    expect(queue).toMatchObject({ busy: 1, waiting: 1 });
  });

  it('never gives out more slots than there are, serves in order, and lets no caller wait without need', async () => {
    const step = fc.record({
      action: fc.constantFrom('acquire', 'release', 'abort'),
      count: fc.integer({ min: 1, max: 4 }),
      pick: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        fc.array(step),
        async (slots, maxWaiting, steps) => {
          const queue = createSlotQueue(slots, maxWaiting);
          const callers = createCallers(queue);
          for (const { action, count, pick } of steps) {
            if (action === 'acquire') callers.acquire(Math.min(count, slots));
            else callers[action](pick);
            await settled();
            expect(queue.busy).toBeLessThanOrEqual(slots);
            expect(queue.waiting).toBeLessThanOrEqual(maxWaiting);
            expect(queue.waiting).toBe(callers.waiting.length);
            const [first] = callers.waiting;
            if (first) expect(queue.busy + first.count).toBeGreaterThan(slots);
          }
          await callers.releaseAll();
          expect(queue).toMatchObject({ busy: 0, waiting: 0 });
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('slot queue between several parties', () => {
  const alice = { name: 'alice', priority: 0 };
  const bob = { name: 'bob', priority: 0 };

  /** Lets a party's caller wait, and records it when it has its slot. */
  function wait(queue: SlotQueue, order: string[], party: Party, count = 1) {
    const caller = { release: () => {}, error: null as unknown };
    queue.acquire(never, count, party).then(
      (release) => {
        order.push(party.name);
        caller.release = release ?? (() => {});
      },
      (error: unknown) => {
        caller.error = error;
      },
    );
    return caller;
  }

  it('gives the next free slot to the one that holds none, however many wait before it', async () => {
    const queue = createSlotQueue(2, 200);
    const order: string[] = [];
    const callers = Array.from({ length: 100 }, () => wait(queue, order, alice));
    const last = wait(queue, order, bob);
    callers[0]?.release();
    await settled();
    callers[0]?.release();
    await settled();
    expect(order).toEqual(['alice', 'alice', 'bob']);
    last.release();
  });

  it('serves parties in turn while all of them wait', async () => {
    const queue = createSlotQueue(1, 200);
    const order: string[] = [];
    const held = await queue.acquire(never);
    const callers = [alice, alice, alice, bob, bob, bob].map((party) => wait(queue, order, party));
    held?.();
    for (let turn = 0; turn < callers.length; turn++) {
      await settled();
      for (const { release } of callers) release();
    }
    expect(order).toEqual(['alice', 'bob', 'alice', 'bob', 'alice', 'bob']);
  });

  it('serves a higher priority first', async () => {
    const queue = createSlotQueue(1, 200);
    const order: string[] = [];
    const held = await queue.acquire(never);
    const callers = [alice, alice, { name: 'batch', priority: -1 }, { name: 'boss', priority: 1 }].map((party) =>
      wait(queue, order, party),
    );
    held?.();
    for (let turn = 0; turn < callers.length; turn++) {
      await settled();
      for (const { release } of callers) release();
    }
    expect(order).toEqual(['boss', 'alice', 'alice', 'batch']);
  });

  it('lets one that needs several slots have them, though others come after it', async () => {
    const queue = createSlotQueue(2, 200);
    const order: string[] = [];
    const first = wait(queue, order, alice);
    const second = wait(queue, order, alice);
    await settled();
    const wide = wait(queue, order, bob, 2);
    const third = wait(queue, order, alice);
    first.release();
    await settled();
    expect(order).toEqual(['alice', 'alice']);
    second.release();
    await settled();
    expect(order).toEqual(['alice', 'alice', 'bob']);
    wide.release();
    await settled();
    third.release();
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('makes a place in a full queue at the cost of the one that fills it', async () => {
    const queue = createSlotQueue(1, 3);
    const order: string[] = [];
    await queue.acquire(never, 1, alice);
    const callers = Array.from({ length: 3 }, () => wait(queue, order, alice));
    const one = wait(queue, order, bob);
    await settled();
    expect(callers.map(({ error }) => error instanceof ApiError)).toEqual([false, false, true]);
    expect(one.error).toBeNull();
    // Two of alice and one of bob wait: a second of bob would be as many.
    const more = wait(queue, order, bob);
    await settled();
    expect(more.error).toMatchObject({ data: { status: 503, code: 'overloaded' } });
    expect(queue.waiting).toBe(3);
  });

  it('gives one party no more slots than it may hold, and the rest to others', async () => {
    const queue = createSlotQueue(4, 200, { mostOfParty: 2 });
    const order: string[] = [];
    const callers = Array.from({ length: 3 }, () => wait(queue, order, alice));
    wait(queue, order, bob);
    await settled();
    expect(order).toEqual(['alice', 'alice', 'bob']);
    expect(queue).toMatchObject({ busy: 3, waiting: 1 });
    callers[0]?.release();
    await settled();
    expect(order).toEqual(['alice', 'alice', 'bob', 'alice']);
  });

  it('says in Retry-After how long the queue takes, by how long slots were held', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const queue = createSlotQueue(2, 4);
      const release = await queue.acquire(never);
      vi.advanceTimersByTime(10_000);
      release?.();
      await queue.acquire(never, 2);
      for (let caller = 0; caller < 4; caller++) void queue.acquire(never);
      const error = await queue.acquire(never).catch((thrown: unknown) => thrown);
      // Four wait for two slots that take 10 s each.
      expect(error).toMatchObject({ data: { headers: { 'retry-after': '20' } } });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('slot queue for several slots at once', () => {
  it('hands them out together, and takes them back together', async () => {
    const queue = createSlotQueue(4, 0);
    const release = await queue.acquire(never, 3);
    expect(queue).toMatchObject({ busy: 3, waiting: 0 });
    release?.();
    release?.();
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('hands out none before all of them are free', async () => {
    const queue = createSlotQueue(4, 8);
    const order: string[] = [];
    const first = await take(queue, 'first', order, never, 2);
    const second = await take(queue, 'second', order, never, 2);
    void take(queue, 'three', order, never, 3);
    first();
    await settled();
    expect(order).toEqual(['first', 'second']);
    expect(queue).toMatchObject({ busy: 2, waiting: 1 });
    second();
    await settled();
    expect(order).toEqual(['first', 'second', 'three']);
    expect(queue).toMatchObject({ busy: 3, waiting: 0 });
  });

  it('lets no caller that needs fewer overtake one that waits for several', async () => {
    const queue = createSlotQueue(2, 8);
    const order: string[] = [];
    const first = await take(queue, 'first', order);
    void take(queue, 'both', order, never, 2);
    void take(queue, 'one', order);
    await settled();
    expect(order).toEqual(['first']);
    first();
    await settled();
    expect(order).toEqual(['first', 'both']);
    expect(queue).toMatchObject({ busy: 2, waiting: 1 });
  });

  it('serves all waiting callers for which there is room', async () => {
    const queue = createSlotQueue(4, 8);
    const order: string[] = [];
    const all = await take(queue, 'all', order, never, 4);
    for (const [name, count] of [
      ['two', 2],
      ['one', 1],
      ['three', 3],
      ['last', 1],
    ] as const) {
      void take(queue, name, order, never, count);
    }
    all();
    await settled();
    expect(order).toEqual(['all', 'two', 'one']);
    expect(queue).toMatchObject({ busy: 3, waiting: 2 });
  });

  it('serves the callers behind one that needed several and gave up', async () => {
    const queue = createSlotQueue(2, 8);
    const order: string[] = [];
    const gone = new AbortController();
    await take(queue, 'first', order);
    void take(queue, 'both', order, gone.signal, 2);
    void take(queue, 'one', order);
    gone.abort();
    await settled();
    expect(order.sort()).toEqual(['both left', 'first', 'one']);
    expect(queue).toMatchObject({ busy: 2, waiting: 0 });
  });
});

describe('a place in the slot queue', () => {
  it('holds no slot while its caller prepares: callers that come later have the slots', async () => {
    const queue = createSlotQueue(1, 8);
    const slow = queue.join();
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
    const release = await queue.acquire(never);
    const entered = slow.enter(never);
    expect(queue).toMatchObject({ busy: 1, waiting: 1 });
    release?.();
    expect(await entered).toBe(true);
    expect(queue).toMatchObject({ busy: 1, waiting: 0 });
    slow.leave();
    slow.leave();
    expect(queue).toMatchObject({ busy: 0, waiting: 0 });
  });

  it('counts while its caller prepares: no more callers come than there are slots and places', async () => {
    const queue = createSlotQueue(2, 1);
    queue.join();
    queue.join();
    const third = queue.join();
    expect(() => queue.join()).toThrow(ApiError);
    third.leave();
    expect(queue.waiting).toBe(0);
    queue.join();
  });

  it('that another party has got tells its caller so when it enters', async () => {
    const queue = createSlotQueue(1, 2);
    const [alice, bob] = ['alice', 'bob'].map((name) => ({ name, priority: 0 }));
    await queue.acquire(never, 1, alice);
    queue.join(1, alice);
    const last = queue.join(1, alice);
    queue.join(1, bob);
    await expect(last.enter(never)).rejects.toMatchObject({ data: { status: 503, code: 'overloaded' } });
  });

  it('ends with the signal', async () => {
    const queue = createSlotQueue(1, 8);
    await queue.acquire(never);
    const gone = new AbortController();
    const place = queue.join();
    const entered = place.enter(gone.signal);
    gone.abort();
    expect(await entered).toBe(false);
    place.leave();
    const left = queue.join();
    const waiting = left.enter(never);
    left.leave();
    expect(await waiting).toBe(false);
    expect(await queue.join().enter(AbortSignal.abort())).toBe(false);
    expect(queue).toMatchObject({ busy: 1, waiting: 0 });
  });
});

describe('work in the background', () => {
  it('ends, asked once, for a caller that waits, and gets the next slot that is free again', async () => {
    const queue = createSlotQueue(1, 8);
    const giveWay = vi.fn();
    const endBatch = await queue.acquire(never, 1, { name: 'a', priority: -1000, giveWay });
    const chat = queue.acquire(never, 1, { name: 'b', priority: 0 });
    const other = queue.acquire(never, 1, { name: 'b', priority: 0 });
    await settled();
    expect(giveWay).toHaveBeenCalledOnce();
    const again = queue.acquire(never, 1, { name: 'a', priority: -1000, giveWay: () => {} });
    endBatch?.();
    (await chat)?.();
    (await other)?.();
    expect(await again).toBeTypeOf('function');
    expect(giveWay).toHaveBeenCalledOnce();
  });

  it('is not held against the other requests of its key', async () => {
    const queue = createSlotQueue(3, 8);
    const background = { name: 'a', priority: -1000, giveWay: () => {} };
    const endBatch = await queue.acquire(never, 2, background);
    const endChat = await queue.acquire(never, 1, { name: 'b', priority: 0 });
    const order: string[] = [];
    const waiting = ['b', 'a'].map(async (name) => {
      const release = await queue.acquire(never, 1, { name, priority: 0 });
      order.push(name);
      return release;
    });
    endBatch?.();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b']);
    endChat?.();
  });

  it('keeps as many slots beside others as it may, the oldest, and gets the rest back when they have left', async () => {
    const queue = createSlotQueue(4, 8, { backgroundBesideOthers: 1 });
    const holders = [0, 1, 2].map(() => new AbortController());
    const begin = async (holder: AbortController) => {
      const party = { name: 'a', priority: -1000, giveWay: () => holder.abort() };
      const release = await queue.acquire(never, 1, party);
      holder.signal.addEventListener('abort', () => release?.());
    };
    for (const holder of holders) await begin(holder);
    const endChat = await queue.acquire(never, 1, { name: 'b', priority: 0 });
    expect(holders.map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
    expect(queue.busy).toBe(2);
    const waiting = begin(new AbortController());
    await settled();
    expect(queue).toMatchObject({ busy: 2, waiting: 0 });
    endChat?.();
    await waiting;
    expect(queue).toMatchObject({ busy: 2, waiting: 0 });
  });

  it('gets the rest back only when it has been calm for a time, since the next caller often comes soon', async () => {
    vi.useFakeTimers();
    try {
      const queue = createSlotQueue(2, 8, { backgroundBesideOthers: 0, calmMs: 2000 });
      const chat = () => queue.acquire(never, 1, { name: 'b', priority: 0 });
      const endFirst = await chat();
      const background = queue.acquire(never, 1, { name: 'a', priority: -1000, giveWay: () => {} });
      endFirst?.();
      await vi.advanceTimersByTimeAsync(1999);
      const endSecond = await chat();
      expect(queue.busy).toBe(1);
      await vi.advanceTimersByTimeAsync(5000);
      expect(queue.busy).toBe(1);
      endSecond?.();
      await vi.advanceTimersByTimeAsync(1999);
      expect(queue.busy).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(await background).toBeTypeOf('function');
    } finally {
      vi.useRealTimers();
    }
  });
});
