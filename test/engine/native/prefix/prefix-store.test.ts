import { beforeEach, describe, expect, it } from 'vitest';
import type { Decoder } from '../../../../src/engine/native/llama/decoder.ts';
import { type Copies, type FoundCopy, NO_COPIES } from '../../../../src/engine/native/prefix/copies.ts';
import type { Prefix } from '../../../../src/engine/native/prefix/prefix.ts';
import { createPrefix } from '../../../../src/engine/native/prefix/prefix.ts';
import { createPrefixStore, type PrefixStore, type Slot } from '../../../../src/engine/native/prefix/prefix-store.ts';

const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const prompt = (count: number, scope = '') => createPrefix(scope, tokens(count));
const never = new AbortController().signal;
const nothing = { slot: 0, copied: 0, ram: 0, disk: 0 };

let log: string[];
/** The shortest beginning that a model which forgets can go back to. */
let oldest: number;
let store: PrefixStore;
/** The tokens for which the cache that all slots share has room. */
let spare: number;
/** The sequences of which bytes are still to be copied. */
let unsettled: Set<number>;

/** The parts of a decoder that the store uses, without a model. */
function fakeDecoder(sequences: number): Decoder {
  const parts: Pick<Decoder, 'sequences' | 'room' | 'spare' | 'truncate' | 'reaches' | 'copy' | 'settled'> = {
    sequences,
    settled: (sequence) => !unsettled.has(sequence),
    room: 10_000,
    spare: () => spare,
    truncate: async (_, length) => length,
    reaches: async (_, length) => length >= oldest,
    copy: async (from, to, length) => {
      log.push(`${from} to ${to}: ${length}`);
      return length;
    },
  };
  return parts as Decoder;
}

function makeStore({
  slots = 4,
  copies = NO_COPIES,
  forgets = false,
  rowsMs = (rows) => rows,
}: {
  slots?: number;
  copies?: Copies;
  forgets?: boolean;
  rowsMs?: (rows: number) => number;
} = {}) {
  return createPrefixStore(fakeDecoder(slots), copies, forgets, () => ({ tokenMs: 1, copyMs: 20, rowsMs }));
}

const takeOne = (count: number, scope?: string): Slot => {
  const [slot] = store.take(prompt(count, scope), 1);
  if (!slot) throw new Error('all slots are busy');
  return slot;
};

/** Evaluates up to this many tokens of a prompt. */
const evaluate = (slot: Slot, upTo: number, of = tokens(upTo)) => {
  slot.sequence.extend(of.slice(slot.sequence.length, upTo));
  store.advanced(slot);
};

/** Serves a whole prompt, and returns what was taken from the cache. */
async function serve(count: number, scope = '', of = tokens(count), name?: string) {
  const [slot] = store.take(createPrefix(scope, of), 1, name);
  if (!slot) throw new Error('all slots are busy');
  const taken = await store.prepare(slot, createPrefix(scope, of), never);
  evaluate(slot, count, of);
  store.free(slot, scope);
  return { ...taken, id: slot.sequence.id };
}

const soon = <T>(promise: Promise<T>) =>
  Promise.race([promise, new Promise<'waits'>((resolve) => setTimeout(resolve, 20, 'waits'))]);

beforeEach(() => {
  log = [];
  oldest = Number.POSITIVE_INFINITY;
  unsettled = new Set();
  spare = Number.POSITIVE_INFINITY;
  store = makeStore();
});

describe('a conversation that its client names', () => {
  const another = (count: number, first: number) => tokens(count).map((token) => (token + first) as typeof token);

  it('takes the slot of its older state, where it has changed from early on', async () => {
    store = makeStore({ slots: 2 });
    const ada = await serve(100, '', another(100, 1000), 'ada');
    const bob = await serve(100, '', another(100, 2000), 'bob');
    expect((await serve(100, '', another(100, 3000), 'bob')).id).toBe(bob.id);
    expect((await serve(100, '', another(100, 4000), 'bob')).id).toBe(bob.id);
    expect((await serve(100, '', another(100, 1000), 'ada')).slot).toBe(99);
    expect((await serve(100, '', another(100, 5000))).id).toBe(bob.id);
    expect(ada.id).not.toBe(bob.id);
  });

  it('has the name to itself in its scope', async () => {
    store = makeStore({ slots: 2 });
    const bob = await serve(100, 'two', another(100, 1000), 'bob');
    await serve(100, 'one', another(100, 2000), 'ada');
    expect((await serve(100, 'two', another(100, 3000), 'ada')).id).toBe(bob.id);
  });
});

describe('the store of prefixes', () => {
  it('lets a conversation go on in its slot', async () => {
    expect(await serve(100)).toMatchObject({ ...nothing, id: 0, miss: { at: 0, why: 'new' } });
    expect(await serve(150)).toMatchObject({ ...nothing, id: 0, slot: 100, miss: null });
    expect(await serve(150)).toMatchObject({ ...nothing, id: 0, slot: 149, miss: null });
  });

  it('copies from a busy slot what it has evaluated', async () => {
    const first = takeOne(200);
    await store.prepare(first, prompt(200), never);
    evaluate(first, 200);
    expect(await serve(100)).toMatchObject({ copied: 99, id: 1 });
    expect(log).toEqual(['0 to 1: 99']);
  });

  it('evaluates once what comes together: the others wait for the part that they share', async () => {
    const [a, b, c] = [takeOne(100), takeOne(100), takeOne(100)];
    await store.prepare(a, prompt(100), never);
    const waiting = [b, c].map((slot) =>
      store.prepare(slot, createPrefix('', [...tokens(80), ...tokens(20, 900)]), never),
    );
    evaluate(a, 64);
    expect(await soon(Promise.all(waiting))).toBe('waits');
    evaluate(a, 90);
    expect(await waiting[0]).toMatchObject({ copied: 80 });
    // The third shares more with the second, which is still to evaluate that.
    expect(await soon(waiting[1] as Promise<unknown>)).toBe('waits');
    b.sequence.extend(tokens(20, 900));
    store.advanced(b);
    expect(await waiting[1]).toMatchObject({ copied: 99 });
  });

  it('goes on with what was evaluated when the one that is waited for fails or is cancelled', async () => {
    const [a, b, c] = [takeOne(200), takeOne(200), takeOne(200)];
    await store.prepare(a, prompt(200), never);
    const [second, third] = [store.prepare(b, prompt(200), never), store.prepare(c, prompt(200), never)];
    evaluate(a, 60);
    store.free(a, '');
    expect(await second).toMatchObject({ copied: 60 });
    expect(await soon(third)).toBe('waits');
    evaluate(b, 200);
    expect(await third).toMatchObject({ copied: 199 });
  });

  it('ends the wait of one that is cancelled itself, and those that wait for it go on', async () => {
    const cancel = new AbortController();
    const [a, b] = [takeOne(200), takeOne(300)];
    await store.prepare(a, prompt(200), never);
    const second = store.prepare(b, prompt(300), cancel.signal);
    const c = takeOne(300);
    const third = store.prepare(c, prompt(300), never);
    cancel.abort();
    expect(await second).toBeNull();
    store.free(b, '');
    expect(await soon(third)).toBe('waits');
    evaluate(a, 200);
    expect(await third).toMatchObject({ copied: 200 });
  });

  it('never lets two wait for one another, whatever they share and whoever goes', async () => {
    store = makeStore({ slots: 8 });
    const slots = Array.from({ length: 8 }, (_, index) => takeOne(100 + index * 20));
    const done = slots.map(async (slot, index) => {
      const mine = prompt(100 + ((index * 5) % 8) * 20);
      if (await store.prepare(slot, mine, never)) evaluate(slot, index % 3 === 0 ? 40 : mine.tokens.length);
      store.free(slot, '');
    });
    expect(await soon(Promise.all(done))).not.toBe('waits');
  });

  it('shares nothing between scopes, and says nothing of another', async () => {
    await serve(100, 'ada');
    expect(await serve(100, 'bob')).toMatchObject({ ...nothing, miss: { at: 0, why: 'new' } });
    expect(log).toEqual([]);
    expect(await serve(101, 'ada')).toMatchObject({ slot: 100 });
  });

  it('leaves what a slot holds to its scope when a request of another one ends before it has changed that', async () => {
    store = makeStore({ slots: 1 });
    await serve(100, 'bob');
    const slot = takeOne(100, 'ada');
    expect(await store.prepare(slot, prompt(100, 'ada'), AbortSignal.abort())).toBeNull();
    store.free(slot, 'ada');
    expect(store.held()).toMatchObject([{ scope: 'bob' }]);
    expect(await serve(101, 'ada')).toMatchObject({ ...nothing, miss: { at: 0, why: 'new' } });
  });

  it('leaves it so in a slot that was taken for a choice and not needed', async () => {
    store = makeStore({ slots: 2 });
    await serve(100, 'bob');
    await serve(100, 'bob', tokens(100, 500));
    for (const slot of store.take(prompt(100, 'ada'), 2)) store.free(slot, 'ada');
    expect(store.held().map(({ scope }) => scope)).toEqual(['bob', 'bob']);
    expect(await serve(101, 'ada')).toMatchObject(nothing);
  });

  it('calls what a slot holds by the name of its own conversation, not by that of one that was aborted before', async () => {
    store = makeStore({ slots: 2 });
    const call = (name: string, from: number) => serve(100, '', tokens(100, from), name);
    expect([(await call('first', 0)).id, (await call('second', 1000)).id]).toEqual([0, 1]);
    const [aborted] = store.take(createPrefix('', tokens(100, 2000)), 1, 'third');
    if (!aborted) throw new Error('all slots are busy');
    expect(aborted.sequence.id).toBe(0);
    await store.prepare(aborted, createPrefix('', tokens(100, 2000)), AbortSignal.abort());
    store.free(aborted, '');
    expect((await call('first', 3000)).id).toBe(0);
  });

  it('says that a conversation had to make room, and where a text has changed', async () => {
    store = makeStore({ slots: 1 });
    await serve(100);
    await serve(100, '', tokens(100, 500));
    expect(await serve(101)).toMatchObject({ ...nothing, miss: { at: 0, why: 'evicted' } });
    expect(await serve(100, '', [...tokens(90), ...tokens(10, 700)])).toMatchObject({
      miss: { at: 90, why: 'changed' },
    });
  });
});

describe('a model that can not go back', () => {
  beforeEach(() => {
    store = makeStore({ forgets: true });
  });

  it('takes only all that a slot holds', async () => {
    await serve(100);
    const busy = takeOne(200);
    expect(await store.prepare(busy, prompt(200), never)).toMatchObject({ slot: 100 });
    evaluate(busy, 150);
    expect(await serve(120)).toMatchObject(nothing);
    expect(await serve(160)).toMatchObject({ copied: 150 });
  });

  it('goes back in its own slot as far as its window still allows', async () => {
    store = makeStore({ forgets: true, slots: 1 });
    await serve(200);
    oldest = 150;
    expect(await serve(180)).toMatchObject({ slot: 179 });
    expect(await serve(100)).toMatchObject(nothing);
  });

  it('pauses where others leave its prompt, until they have their copies', async () => {
    const [a, b, c] = [takeOne(200), takeOne(200), takeOne(200)];
    await store.prepare(a, prompt(200), never);
    const same = store.prepare(b, prompt(200), never);
    const other = store.prepare(c, createPrefix('', [...tokens(120), ...tokens(30, 900)]), never);
    expect(a.pauseAt).toBe(120);
    a.sequence.extend(tokens(120));
    await store.advanced(a);
    expect(await other).toMatchObject({ copied: 120 });
    expect(a.pauseAt).toBe(199);
    a.sequence.extend(tokens(79, 120));
    await store.advanced(a);
    expect(await same).toMatchObject({ copied: 199 });
    expect(log).toEqual(['0 to 2: 120', '0 to 1: 199']);
    expect(a.pauseAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not pause for one that is cancelled', async () => {
    const cancel = new AbortController();
    const [a, b] = [takeOne(200), takeOne(200)];
    await store.prepare(a, prompt(200), never);
    const second = store.prepare(b, prompt(200), cancel.signal);
    cancel.abort();
    expect(await second).toBeNull();
    a.sequence.extend(tokens(199));
    await store.advanced(a);
  });

  it('never has two wait for one another, whatever they share and whoever goes', async () => {
    store = makeStore({ forgets: true, slots: 8 });
    const slots = Array.from({ length: 8 }, (_, index) => takeOne(100 + index * 20));
    const done = slots.map(async (slot, index) => {
      const mine = prompt(100 + ((index * 5) % 8) * 20);
      const end = index % 3 === 0 ? 40 : mine.tokens.length;
      if (!(await store.prepare(slot, mine, never))) return;
      while (slot.sequence.length < end) {
        const next = Math.min(end, slot.pauseAt, slot.sequence.length + 32);
        slot.sequence.extend(tokens(next - slot.sequence.length, slot.sequence.length));
        await store.advanced(slot);
      }
      store.free(slot, '');
    });
    expect(await soon(Promise.all(done))).not.toBe('waits');
  });

  it('has copies kept at the ends of turns, where they are worth it, and takes those that its prompt begins with', async () => {
    const kept: number[] = [];
    const shared = 285;
    const copies: Copies = {
      find: () => {
        const length = Math.max(0, ...kept.filter((place) => place <= shared));
        return length === 0 ? null : { tier: 'ram', length, ms: 1, load: async () => tokens(length) };
      },
      wants: ({ tokens: held }) => held.length !== 150,
      keep: async ({ tokens: held }) => void kept.push(held.length),
    };
    store = makeStore({ forgets: true, slots: 1, copies });
    const slot = takeOne(300);
    await store.prepare(slot, prompt(300), never, [100, 150, 280]);
    for (const place of [100, 280]) {
      expect(slot.pauseAt).toBe(place);
      slot.sequence.extend(tokens(place - slot.sequence.length, slot.sequence.length));
      await store.advanced(slot);
    }
    expect(slot.pauseAt).toBe(Number.POSITIVE_INFINITY);
    slot.sequence.extend(tokens(20, 280));
    store.free(slot, '');
    expect(kept).toEqual([100, 280]);
    expect(await serve(290, '', [...tokens(shared), ...tokens(5, 700)])).toMatchObject({ ...nothing, ram: 280 });
  });
});

/** Finds these copies, one after the other: one that could not be loaded is not found again. */
function copiesOf(...found: FoundCopy[]): Copies {
  const left = found.map((copy) => ({
    ...copy,
    load: async (sequence: number) => {
      const loaded = await copy.load(sequence);
      if (loaded.length === 0) left.shift();
      return loaded;
    },
  }));
  return { find: () => left[0] ?? null, wants: () => false, keep: async () => {} };
}

const broken = (length = 99): FoundCopy => ({ tier: 'disk', length, ms: 5, load: async () => [] });

describe('copies below the slots', () => {
  it('are told what a slot is about to lose that nobody else holds, and wait for it', async () => {
    const kept: unknown[] = [];
    const copies: Copies = {
      find: () => null,
      wants: () => true,
      keep: async ({ tokens: held }, sequence, length) => void kept.push([held.length, sequence, length]),
    };
    store = makeStore({ slots: 1, copies });
    await serve(100);
    await serve(150);
    expect(kept).toEqual([]);
    await serve(60);
    expect(kept).toEqual([[150, 0, 59]]);
  });

  it('are told nothing for a request that is aborted before', async () => {
    const kept: number[] = [];
    store = makeStore({
      slots: 1,
      copies: { find: () => null, wants: () => true, keep: async (_, slot) => void kept.push(slot) },
    });
    await serve(100);
    const slot = takeOne(60);
    expect(await store.prepare(slot, prompt(60), AbortSignal.abort())).toBeNull();
    store.free(slot, '');
    expect(kept).toEqual([]);
    expect(await serve(101)).toMatchObject({ ...nothing, slot: 100 });
  });

  it('give back what they hold', async () => {
    const copies = copiesOf({ tier: 'disk', length: 99, ms: 5, load: async () => tokens(120) });
    store = makeStore({ copies });
    expect(await serve(100)).toMatchObject({ ...nothing, disk: 99 });
  });

  it('let a slot be taken beside another that writes: what it holds is soon had again', async () => {
    const secondOf = async (copies: Copies) => {
      // A reply apart from the others has every pass take 1 ms longer.
      store = makeStore({ copies, rowsMs: (rows) => 1 + rows });
      for (const first of [0, 2000, 4000, 6000]) await serve(1000, '', tokens(1000, first));
      await serve(1001, '', tokens(1001, 2000));
      expect(takeOne(100, 'ada').sequence.id).toBe(0);
      return takeOne(100, 'ada').sequence.id;
    };
    expect(await secondOf(NO_COPIES)).toBe(2);
    const copies: Copies = {
      ...NO_COPIES,
      find: ({ scope, tokens: { length } }) =>
        scope === '' && length > 1000 ? { tier: 'ram', length: 1000, ms: 5, load: async () => [] } : null,
    };
    expect(await secondOf(copies)).toBe(1);
  });

  it('are looked for again when one can not be loaded: another copy, another slot, or none', async () => {
    store = makeStore({ copies: copiesOf(broken(), { tier: 'ram', length: 80, ms: 5, load: async () => tokens(80) }) });
    expect(await serve(100)).toMatchObject({ ...nothing, ram: 80 });
    store = makeStore({ copies: copiesOf(broken()) });
    expect(await serve(100)).toMatchObject(nothing);
    store = makeStore({ copies: copiesOf(broken(100)) });
    const busy = takeOne(60);
    await store.prepare(busy, prompt(60), never);
    evaluate(busy, 60);
    expect(await serve(101)).toMatchObject({ ...nothing, copied: 60 });
  });

  it('are left alone while bytes of the slot are still to be copied: loading would cost what it holds, and fail', async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      return tokens(150);
    };
    await serve(100);
    store = makeStore({
      slots: 1,
      copies: { find: () => ({ tier: 'ram', length: 149, ms: 0, load }), wants: () => false, keep: async () => {} },
    });
    unsettled.add(0);
    await serve(100);
    expect(await serve(150)).toMatchObject({ ...nothing, slot: 100 });
    expect(loads).toBe(0);
    unsettled.clear();
    expect(await serve(150, '', tokens(150))).toMatchObject({ ...nothing, slot: 149 });
  });
});

describe('slots that share one cache', () => {
  const other = (count: number) => tokens(count).map((token) => (token + 5000) as typeof token);
  const lengths = () => store.held().map(({ tokens: { length } }) => length);

  it('are dropped in the order of their last use, with a copy, and never while they are busy', async () => {
    const kept: number[] = [];
    const keep = async (held: Prefix) => void kept.push(held.tokens.length);
    store = makeStore({ slots: 3, copies: { ...NO_COPIES, keep } });
    await serve(100, '', other(100));
    await serve(70);
    const busy = takeOne(40, 'another');
    await store.prepare(busy, prompt(40, 'another'), never);
    evaluate(busy, 40);
    expect(lengths().sort()).toEqual([100, 40, 70].sort());
    expect(await store.evict()).toBe(true);
    expect(lengths().sort()).toEqual([0, 40, 70].sort());
    expect(await store.evict()).toBe(true);
    expect(await store.evict()).toBe(false);
    expect(lengths().sort()).toEqual([0, 0, 40].sort());
    expect(kept).toEqual([100, 70]);
    // What was dropped is not looked for in the slot.
    expect(await serve(70)).toMatchObject({ slot: 0, copied: 0 });
  });

  it('are dropped until a copy can be loaded', async () => {
    const load = async () => tokens(80);
    const copy = { tier: 'ram' as const, length: 80, ms: 5, load };
    const find = ({ scope }: Prefix) => (scope === 'again' ? copy : null);
    store = makeStore({ slots: 3, copies: { ...NO_COPIES, find } });
    await serve(100, 'one');
    await serve(100, 'two');
    spare = 50;
    await serve(100, 'again');
    expect(lengths().filter((length) => length > 0)).toEqual([100]);
  });
});
