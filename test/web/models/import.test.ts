import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { headerBytes, projectorEntries } from '../../catalogue/node/fixtures.ts';
import { smallGguf } from '../../catalogue/pull/node/fixtures.ts';
import { sha256 } from '../../kit/servers/hub-repos.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';
import {
  closeAndForget,
  leave,
  limitStorage,
  type ModelsBench,
  openModelsBench,
  readModels,
  runJob,
  sha256Of,
  storedFiles,
} from './support/models-page.ts';

const TIME_LIMIT_MS = 120_000;
/** For what is awaited on a machine that may be busy. */
const SOON = { timeout: 20_000 };

let bench: ModelsBench;
let host: TestHub;
let page: Page;
let tiny: Uint8Array;

beforeAll(async () => {
  tiny = await readFile(join(inject('modelsFolder'), 'tiny.gguf'));
  bench = await openModelsBench();
}, TIME_LIMIT_MS);
afterAll(() => bench?.close());

beforeEach(async () => {
  host = await startHub();
  page = await bench.open(host.url);
}, TIME_LIMIT_MS);
afterEach(async () => {
  await closeAndForget(bench, page, host.url);
  await host.close();
});

/** Imports these bytes, which the page has as a stream. */
function importBytes(filename: string, bytes: Uint8Array, size: number | null = null) {
  return runJob(page, { kind: 'import', filename, size }, host.putFile(filename, bytes));
}

const remove = (id: string) => runJob(page, { kind: 'remove', id });

describe('an import in the browser', { timeout: TIME_LIMIT_MS }, () => {
  it('stores a file as a model that is called like it', async () => {
    const { events, error } = await importBytes('tiny.gguf', tiny);
    expect(error).toBeNull();
    const last = events.filter(({ status }) => status === 'downloading').at(-1);
    expect(last).toMatchObject({ file: 'tiny.gguf', completed: tiny.length, total: tiny.length });
    expect(events.slice(-2)).toEqual([
      { status: 'verifying', file: 'tiny.gguf' },
      { status: 'done', model: 'tiny', alreadyHere: false },
    ]);
    const [model] = await readModels(page);
    expect(model).toMatchObject({
      card: { id: 'tiny' },
      source: { kind: 'chat', tokens: { bos: expect.any(String), eos: '<|im_end|>' }, files: [{ size: tiny.length }] },
    });
    expect(model && (await sha256Of(page, model))).toBe(sha256(tiny));
  });

  it('tells how long the file will be as soon as its header is there', async () => {
    const large = smallGguf(1, 2 ** 20);
    host.fail('content', 'large.gguf', { kind: 'slow', pieces: 8, pauseMs: 300 }, 1);
    const { events } = await importBytes('large.gguf', large);
    const totals = events.flatMap((event) => (event.status === 'downloading' ? [event] : []));
    expect(totals.filter(({ completed }) => completed < large.length).at(-1)?.total).toBe(large.length);
  });

  it.each<[string, string, () => Uint8Array, RegExp]>([
    ['no GGUF', 'noise.gguf', () => Buffer.alloc(5000, 'no model '), /noise\.gguf .*: the file is no GGUF/],
    [
      'half a file',
      'half.gguf',
      () => tiny.subarray(0, tiny.length / 2),
      /half\.gguf .* incomplete: it has \d+ bytes of/,
    ],
    ['half a header', 'cut.gguf', () => tiny.subarray(0, 3000), /cut\.gguf .* incomplete/],
    ['nothing', 'empty.gguf', () => new Uint8Array(), /empty\.gguf .* incomplete/],
    ['no model file', 'notes.txt', () => Buffer.from('notes'), /notes\.txt .* the name of a \.gguf file/],
    ['a part', 'm-00001-of-00003.gguf', () => smallGguf(1), /one of 3 parts of a model/],
    [
      'a projector',
      'mmproj-x.gguf',
      () => Buffer.concat([headerBytes(projectorEntries(64)), Buffer.alloc(256)]),
      /it is a projector/,
    ],
  ])('of %s is refused with what is wrong, and leaves nothing', async (_, filename, bytes, message) => {
    const { error } = await importBytes(filename, bytes());
    expect(error).toMatchObject({ status: 400, code: 'invalid_model', message: expect.stringMatching(message) });
    expect(await storedFiles(page)).toEqual({});
  });

  it('of fewer bytes than were announced is refused', async () => {
    const bytes = smallGguf(1);
    const { error } = await importBytes('a.gguf', bytes, bytes.length + 1);
    expect(error?.message).toMatch(/only 262304 of its 262305 bytes have come/);
    expect(await storedFiles(page)).toEqual({});
  });

  it('that the storage has no room for is refused with both figures, once the header tells them', async () => {
    await limitStorage(bench, page, tiny.length - 100_000);
    const { error } = await importBytes('tiny.gguf', tiny);
    expect(error).toMatchObject({ status: 507, code: 'disk_full' });
    expect(error?.message).toMatch(/tiny\.gguf needs [\d.]+ [kM]B more .* has [\d.]+ [kM]B left/);
    expect(await storedFiles(page)).toEqual({});
  });

  it('that meets a full storage before its header tells anything is refused with what there is', async () => {
    await limitStorage(bench, page, 10_000);
    const { error } = await importBytes('tiny.gguf', tiny);
    expect(error).toMatchObject({ status: 507, code: 'disk_full' });
    expect(error?.message).toMatch(
      /storage was full after 0 B of at least [\d.]+ [kM]B of tiny\.gguf; it has [\d.]+ k?B left/,
    );
    expect(await storedFiles(page)).toEqual({});
  });

  it('that is left leaves nothing', async () => {
    host.fail('content', 'tiny.gguf', { kind: 'silence', at: 0.5 }, 1);
    const running = importBytes('tiny.gguf', tiny);
    await expect.poll(async () => Number((await storedFiles(page))['tiny.gguf.part']), SOON).toBeGreaterThan(1e6);
    await leave(page);
    await running;
    await expect.poll(() => storedFiles(page), SOON).toEqual({});
  });

  it('does not replace a model', async () => {
    await importBytes('a.gguf', smallGguf(1));
    const { error } = await importBytes('a.gguf', smallGguf(2));
    expect(error).toMatchObject({ status: 409, message: expect.stringMatching(/a model a already. Remove it first/) });
    const [model] = await readModels(page);
    expect(model && (await sha256Of(page, model))).toBe(sha256(smallGguf(1)));
  });
});

describe('removing a model in the browser', { timeout: TIME_LIMIT_MS }, () => {
  it('leaves nothing of it, and the others as they are', async () => {
    await importBytes('a.gguf', smallGguf(1));
    await importBytes('b.gguf', smallGguf(2));
    expect(await remove('a')).toEqual({ events: [], error: null });
    expect((await readModels(page)).map(({ card }) => card.id)).toEqual(['b']);
    expect(Object.keys(await storedFiles(page)).sort()).toEqual(['b.gguf', 'model.json']);
  });

  it('of an unknown id is refused', async () => {
    expect((await remove('unknown')).error).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('that is being pulled is refused, and goes when nobody pulls any more', async () => {
    host.put('org/repo', 'm-Q4_K_M.gguf', smallGguf(1));
    host.fail('content', 'm-Q4_K_M.gguf', { kind: 'silence', at: 0.5 }, 1);
    const running = runJob(page, { kind: 'pull', source: 'hf:org/repo' });
    await expect.poll(async () => Object.keys(await storedFiles(page)), SOON).toEqual(['m-Q4_K_M.gguf.part']);
    const letGo = await page.evaluateHandle(() => (globalThis as unknown as { leave: () => void }).leave);
    expect((await remove('org/repo:Q4_K_M')).error).toMatchObject({ status: 409, code: 'place_taken' });
    await letGo.evaluate((leaveFirst) => leaveFirst());
    await running;
    await expect.poll(async () => (await remove('org/repo:Q4_K_M')).error?.status, SOON).toBe(404);
    expect(await storedFiles(page)).toEqual({});
  });
});
