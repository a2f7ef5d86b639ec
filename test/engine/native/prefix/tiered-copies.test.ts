import { beforeEach, describe, expect, it } from 'vitest';
import { createPrefix, scopeAlone } from '../../../../src/engine/native/prefix/prefix.ts';
import {
  createTieredCopies,
  type TieredCopies,
  type TieredCopiesOptions,
} from '../../../../src/engine/native/prefix/tiered-copies.ts';
import type { FromCopyStore, ToCopyStore } from '../../../../src/engine/node/copy-messages.ts';
import { eventually } from '../../../kit/eventually.ts';

const held = (count = 200, scope = '') =>
  createPrefix(
    scope,
    Array.from({ length: count }, (_, index) => index),
  );
const never = new AbortController().signal;
const always = () => true;

/** What the engine has said to the store, and a store that says only what a test has it say. */
let said: ToCopyStore[];
let say: (message: FromCopyStore) => void;
let decoder: { saved: string[]; fails: boolean; settled: boolean };
let copies: TieredCopies;

beforeEach(() => {
  said = [];
  decoder = { saved: [], fails: false, settled: true };
  const parts: TieredCopiesOptions['decoder'] = {
    settled: () => decoder.settled,
    async save(_, path) {
      if (decoder.fails) throw new Error('no space left on device');
      decoder.saved.push(path);
      return { bytes: 1000, ms: 1 };
    },
    load: async () => true,
  };
  const link = {
    send: (message: ToCopyStore) => void said.push(message),
    listen: (receive: typeof say) => {
      say = receive;
    },
  };
  copies = createTieredCopies({ decoder: parts, link, bytesPerToken: 10, promptTokenMs: () => 10, wholeOnly: false });
});

const kinds = () => said.map(({ kind }) => kind);
const last = (kind: ToCopyStore['kind']) => said.findLast((message) => message.kind === kind);
/** Waits until the engine has said this so many times. */
const told = (kind: ToCopyStore['kind'], times = 1) =>
  eventually(() => expect(kinds().filter((each) => each === kind)).toHaveLength(times));

/** Answers the latest question of this kind. */
function answer(kind: 'reserve' | 'saved', path: string | null): void {
  const question = last(kind);
  if (!question || !('id' in question)) throw new Error('nothing was asked');
  say({ kind: 'answer', id: question.id, path });
}

describe('a copy', () => {
  it('is made once of what is asked for twice at once', async () => {
    const idle = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always);
    const evicted = copies.keep(held(), 0, 0, never);
    const twin = copies.keepIdle(held(), 1, Number.POSITIVE_INFINITY, always);
    await told('reserve');
    answer('reserve', '/a');
    expect(await idle).toBe(true);
    await evicted;
    expect(await twin).toBe(true);
    expect(kinds()).toEqual(['reserve', 'saved']);
  });

  it('is made after all when the one before it was not', async () => {
    let isStill = true;
    const idle = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, () => isStill);
    await told('reserve');
    isStill = false;
    const evicted = copies.keep(held(), 0, 0, never);
    answer('reserve', '/a');
    expect(await idle).toBe(false);
    await told('reserve', 2);
    answer('reserve', '/b');
    await evicted;
    expect(decoder.saved).toEqual(['/b']);
    expect(kinds()).toEqual(['reserve', 'abandoned', 'reserve', 'saved']);
  });

  it('is made again when the store could not keep it', async () => {
    const first = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always);
    await told('reserve');
    answer('reserve', '/a');
    await first;
    answer('saved', null);
    await Promise.resolve();
    const second = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always);
    await told('reserve', 2);
    answer('reserve', '/b');
    expect(await second).toBe(true);
    expect(decoder.saved).toEqual(['/a', '/b']);
  });

  it('is still to be made when it could not be written', async () => {
    decoder.fails = true;
    const failed = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always);
    await told('reserve');
    answer('reserve', '/a');
    expect(await failed).toBe(false);
    expect(kinds()).toEqual(['reserve', 'abandoned']);
  });

  it('is still to be made, and takes no room, while bytes of the slot are to be copied', async () => {
    decoder.settled = false;
    expect(await copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always)).toBe(false);
    await copies.keep(held(), 0, 0, never);
    expect(said).toEqual([]);
  });

  it('is not to be made any more where the store has no room', async () => {
    const refused = copies.keepIdle(held(), 0, Number.POSITIVE_INFINITY, always);
    await told('reserve');
    answer('reserve', null);
    expect(await refused).toBe(true);
  });

  it('is not made of a request that is aborted meanwhile', async () => {
    const abort = new AbortController();
    const evicted = copies.keep(held(), 0, 0, abort.signal);
    await told('reserve');
    abort.abort();
    answer('reserve', '/a');
    await evicted;
    expect(decoder.saved).toEqual([]);
    expect(kinds()).toEqual(['reserve', 'abandoned']);
  });

  it('is not made of a prompt that nobody else may use', async () => {
    const alone = held(200, scopeAlone('ada', 1));
    await copies.keep(alone, 0, 0, never);
    expect(await copies.keepIdle(alone, 0, Number.POSITIVE_INFINITY, always)).toBe(true);
    expect(said).toEqual([]);
  });
});

describe('a copy that has all of an older one but a few tokens', () => {
  /** The first `shared` tokens of an older copy of 200, and then others. */
  const like = (shared: number) =>
    createPrefix(
      '',
      Array.from({ length: 300 }, (_, index) => (index < shared ? index : index + 1000)),
    );
  const replacedBy = async (newer: ReturnType<typeof held>) => {
    const tokens = Uint32Array.from(held(200).tokens);
    say({ kind: 'added', copies: [{ name: 'older', tier: 'ram', bytes: 1000, scope: '', tokens }] });
    const kept = copies.keep(newer, 0, 0, never);
    await told('reserve');
    answer('reserve', '/a');
    await kept;
    return said.flatMap((message) => (message.kind === 'saved' ? message.replaces : []));
  };

  it('takes its place: so few are as quickly evaluated', async () => {
    expect(await replacedBy(like(190))).toEqual(['older']);
  });

  it('lies beside one that has more', async () => {
    expect(await replacedBy(like(100))).toEqual([]);
  });
});
