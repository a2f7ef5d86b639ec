import { describe, expect, it } from 'vitest';
import type { ResponseObject } from '../../../src/api/responses/objects.ts';
import { createResponseStore, STORE_LIMITS, type StoreLimits } from '../../../src/api/responses/store.ts';
import { responseObject } from './fixtures.ts';

/** A response with one message. Their ids end with the same name. */
function named(name: string, text = 'Hi.'): ResponseObject {
  return responseObject({
    id: `resp_${name}`,
    output: [
      {
        type: 'message',
        id: `msg_${name}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
      },
    ],
  });
}

/** A store in which somebody has put these responses, in order. */
async function storeOf(names: string[], limits: Partial<StoreLimits> = {}) {
  const store = createResponseStore({ ...STORE_LIMITS, ...limits });
  for (const name of names) await store.put('ann', { input: [], response: named(name) });
  return store;
}

describe('the store of responses', () => {
  it('finds a response with its input, and its items', async () => {
    const store = createResponseStore();
    const stored = {
      input: [{ type: 'message' as const, role: 'user' as const, content: 'Hi.' }],
      response: named('a'),
    };
    await store.put('ann', stored);
    expect(await store.find('ann', 'resp_a')).toMatchObject(stored);
    expect(await store.findItem('ann', 'msg_a')).toEqual(stored.response.output[0]);
  });

  it('finds nothing that is not there', async () => {
    const store = await storeOf(['a']);
    expect(await store.find('ann', 'resp_b')).toBeUndefined();
    expect(await store.find('ann', 'msg_a')).toBeUndefined();
    expect(await store.findItem('ann', 'resp_a')).toBeUndefined();
    expect(await store.remove('ann', 'resp_b')).toBe(false);
  });

  it('gives nobody what is of another owner, and lets nobody remove it', async () => {
    const store = await storeOf(['a']);
    expect(await store.find('bob', 'resp_a')).toBeUndefined();
    expect(await store.findItem('bob', 'msg_a')).toBeUndefined();
    expect(await store.remove('bob', 'resp_a')).toBe(false);
    expect(await store.find('ann', 'resp_a')).toBeDefined();
  });

  it('forgets what is removed, items included', async () => {
    const store = await storeOf(['a', 'b']);
    expect(await store.remove('ann', 'resp_a')).toBe(true);
    expect(await store.find('ann', 'resp_a')).toBeUndefined();
    expect(await store.findItem('ann', 'msg_a')).toBeUndefined();
    expect(await store.remove('ann', 'resp_a')).toBe(false);
    expect(await store.findItem('ann', 'msg_b')).toBeDefined();
  });

  it('holds no more responses than it may; those that were used longest ago go first', async () => {
    const store = await storeOf(['a', 'b', 'c'], { responses: 3 });
    await store.find('ann', 'resp_a');
    await store.findItem('ann', 'msg_b');
    await store.put('bob', { input: [], response: named('d') });
    expect(await store.find('ann', 'resp_c')).toBeUndefined();
    expect(await store.findItem('ann', 'msg_c')).toBeUndefined();
    for (const name of ['a', 'b']) expect(await store.find('ann', `resp_${name}`)).toBeDefined();
    expect(await store.find('bob', 'resp_d')).toBeDefined();
  });

  it('holds no more bytes than it may, input included, and takes them again once they are free', async () => {
    const long = { role: 'user' as const, type: 'message' as const, content: 'x'.repeat(5000) };
    const store = await storeOf(['a', 'b'], { bytes: 22_000 });
    await store.put('ann', { input: [long], response: named('c') });
    expect(await store.find('ann', 'resp_a')).toBeDefined();
    await store.put('ann', { input: [long], response: named('d') });
    for (const name of ['b', 'c']) expect(await store.find('ann', `resp_${name}`)).toBeUndefined();
    for (const name of ['a', 'd']) expect(await store.find('ann', `resp_${name}`)).toBeDefined();
    await store.remove('ann', 'resp_d');
    await store.put('ann', { input: [long], response: named('e') });
    for (const name of ['a', 'e']) expect(await store.find('ann', `resp_${name}`)).toBeDefined();
  });

  it('does not take what is larger than the whole store, and keeps the rest', async () => {
    const store = await storeOf(['a'], { bytes: 10_000 });
    await store.put('ann', { input: [], response: named('b', 'x'.repeat(10_000)) });
    expect(await store.find('ann', 'resp_b')).toBeUndefined();
    expect(await store.find('ann', 'resp_a')).toBeDefined();
  });

  it('evicts the responses of the owner who fills the most of it, by number or by size, and no others', async () => {
    for (const [count, text, limits] of [
      [2050, 'Hi.', { responses: 100 }],
      [60, 'x'.repeat(5000), { bytes: 200_000 }],
    ] as const) {
      const store = await storeOf(['a', 'b'], limits);
      for (let index = 0; index < count; index++)
        await store.put('crowd', { input: [], response: named(`crowd_${index}`, text) });
      for (const name of ['a', 'b']) expect(await store.find('ann', `resp_${name}`)).toBeDefined();
      expect(await store.find('crowd', 'resp_crowd_0')).toBeUndefined();
      expect(await store.find('crowd', `resp_crowd_${count - 1}`)).toBeDefined();
    }
  });
});
