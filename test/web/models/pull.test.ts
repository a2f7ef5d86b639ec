import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BrowserModel } from '../../../web/protocol.ts';
import { smallGguf } from '../../catalogue/pull/node/fixtures.ts';
import type { Stage } from '../../kit/servers/hub-faults.ts';
import { sha256 } from '../../kit/servers/hub-repos.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';
import {
  closeAndForget,
  cutInHalf,
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

const FILE = 'm-Q4_K_M.gguf';
const ID = 'org/repo:Q4_K_M';
const right = smallGguf(1);
const HALF = right.length / 2;

let bench: ModelsBench;
let hub: TestHub;
let page: Page;

beforeAll(async () => {
  bench = await openModelsBench();
}, TIME_LIMIT_MS);
afterAll(() => bench?.close());

beforeEach(async () => {
  hub = await startHub();
  hub.put('org/repo', FILE, right);
  page = await bench.open(hub.url);
}, TIME_LIMIT_MS);
afterEach(async () => {
  await closeAndForget(bench, page, hub.url);
  await hub.close();
});

const pull = (source: string) => runJob(page, { kind: 'pull', source });

/** The ranges that were asked for, of each request for content. */
function ranges(): (string | undefined)[] {
  return hub.requests.filter(({ stage }) => stage === 'content').map(({ range }) => range);
}

/** Pulls until half of the file is there, and leaves then. */
async function pullHalf(source: string, stage: Stage = 'content', file = FILE, half = HALF): Promise<void> {
  hub.fail(stage, file, { kind: 'silence', at: 0.5 }, 1);
  const pulled = pull(source);
  await expect.poll(async () => (await storedFiles(page))[`${file}.part`], SOON).toBe(half);
  await leave(page);
  await pulled;
  hub.requests.length = 0;
}

describe('a pull in the browser', { timeout: TIME_LIMIT_MS }, () => {
  it('fetches a model, which is described as the server would, and can be read', async () => {
    const { events, error } = await pull('hf:org/repo');
    expect(error).toBeNull();
    expect(events[0]).toEqual({ status: 'resolving' });
    expect(events.at(-2)).toEqual({ status: 'verifying', file: FILE });
    expect(events.at(-1)).toEqual({ status: 'done', model: ID, alreadyHere: false });
    const [model] = await readModels(page);
    expect(model).toMatchObject({
      card: { id: ID, format: 'gguf', sources: [{ filename: FILE, sha256: sha256(right), size: right.length }] },
      source: { kind: 'chat', files: [{ place: 'opfs', size: right.length }], tokens: { bos: '', infill: null } },
    });
    expect(model && (await sha256Of(page, model))).toBe(sha256(right));
    expect((await pull('hf:org/repo')).events.at(-1)).toMatchObject({ status: 'done', alreadyHere: true });
  });

  it('fetches all parts of a split model and its projector', async () => {
    const names = ['s-Q8_0-00001-of-00002.gguf', 's-Q8_0-00002-of-00002.gguf', 'mmproj-F16.gguf'];
    for (const [index, name] of names.entries()) hub.put('org/split', name, smallGguf(10 + index));
    expect((await pull('hf:org/split')).error).toBeNull();
    const [model] = await readModels(page);
    expect(model?.source.files.map((file) => (file.place === 'opfs' ? file.path.at(-1) : ''))).toEqual(
      names.slice(0, 2),
    );
    expect(model?.source.projector).toMatchObject({ place: 'opfs', path: expect.arrayContaining([names[2]]) });
    expect(model?.card.metadata.size).toBe(3 * right.length);
  });

  it('goes on where another one was left, also with another worker', async () => {
    await pullHalf('hf:org/repo');
    expect(await readModels(page)).toEqual([]);
    await page.close();
    page = await bench.open(hub.url);
    const { events } = await pull('hf:org/repo');
    expect(ranges()).toEqual([`bytes=${HALF}-`]);
    expect(events[1]).toMatchObject({ status: 'downloading', completed: HALF, total: right.length });
    const [model] = await readModels(page);
    expect(model && (await sha256Of(page, model))).toBe(sha256(right));
  });

  it('begins anew when the repository has another file by then, and keeps nothing of the first', async () => {
    await pullHalf('hf:org/repo');
    hub.put('org/repo', FILE, smallGguf(2));
    expect((await pull('hf:org/repo')).error).toBeNull();
    expect(ranges()).toEqual([undefined]);
    expect(await storedFiles(page)).toEqual({ [FILE]: right.length, 'model.json': expect.any(Number) });
  });

  it('serves the old files until the new ones are whole', async () => {
    await pull('hf:org/repo');
    const [before] = await readModels(page);
    hub.put('org/repo', FILE, smallGguf(2));
    await pullHalf('hf:org/repo');
    expect(await readModels(page)).toEqual([before]);
    await pull('hf:org/repo');
    const [after] = await readModels(page);
    expect(after && (await sha256Of(page, after))).toBe(sha256(smallGguf(2)));
  });

  it('fetches a file of a plain host that hides where a part belongs and what it is', async () => {
    const url = hub.putFile('x.gguf', right);
    // The ETag is hidden as well, and without one nothing is built upon: the file is fetched whole.
    hub.fail('content', 'x.gguf', { kind: 'drop', at: 1 }, 2);
    hub.fail('content', 'x.gguf', { kind: 'drop', at: 0.5 }, 1);
    expect((await pull(url)).error).toBeNull();
    expect(ranges()).toEqual(['bytes=0-0', undefined, undefined, undefined]);
    const [model] = await readModels(page);
    expect(model?.card.id).toBe('x');
    expect(model && (await sha256Of(page, model))).toBe(sha256(right));
  });

  it('goes on after a connection that drops, without the user', async () => {
    hub.fail('content', FILE, { kind: 'drop', at: 0.5 }, 1);
    const { events, error } = await pull('hf:org/repo');
    expect(error).toBeNull();
    expect(events.map(({ status }) => status)).toContain('waiting');
    expect(ranges()).toHaveLength(2);
    const [model] = await readModels(page);
    expect(model && (await sha256Of(page, model))).toBe(sha256(right));
  });

  it('deletes a file of a wrong content and fetches it anew, once', async () => {
    hub.fail('content', FILE, { kind: 'garbled' });
    const { error } = await pull('hf:org/repo');
    expect(error).toMatchObject({ status: 502, code: 'download_failed' });
    expect(error?.message).toMatch(/has the sha256 .* It has been deleted\.$/);
    expect(ranges()).toEqual([undefined, undefined]);
    expect(await readModels(page)).toEqual([]);
  });

  it.each([
    ['hf:org/missing', 404, 'source_not_found', /no repository or revision .*org\/missing/],
    ['hf:org/repo:Q8_0', 400, 'invalid_source', /has no Q8_0.*It has Q4_K_M/],
    ['nonsense', 400, 'invalid_source', /is no source of a model/],
  ])('of %s is refused with what is wrong', async (source, status, code, message) => {
    const { error } = await pull(source);
    expect(error).toMatchObject({ status, code, message: expect.stringMatching(message) });
  });

  it('of a URL that is not there says so', async () => {
    const url = new URL('/missing.gguf', hub.putFile('x.gguf', right)).href;
    const { error } = await pull(url);
    expect(error).toMatchObject({ status: 404, message: expect.stringMatching(/status 404 for missing\.gguf/) });
  });

  it('of a gated model says what to do without a token', async () => {
    hub.gate('org/repo', 'secret');
    const { error } = await pull('hf:org/repo');
    expect(error).toMatchObject({ status: 403, code: 'source_forbidden' });
    expect(error?.message).toMatch(/Accept its terms at .* and download its GGUF there, then import/);
  });

  it('of a host that lets no page read says so, and how to go on', async () => {
    const { error } = await pull(hub.putFile('closed.gguf', right, { closed: true }));
    expect(error).toMatchObject({ status: 502, code: 'download_failed' });
    expect(error?.message).toMatch(/lets no page of another site read.*\(CORS\).*import it from the disk/);
  });

  it('that the storage has no room for is refused with both figures before anything is fetched', async () => {
    await limitStorage(bench, page, 100_000);
    const { error } = await pull('hf:org/repo');
    expect(error).toMatchObject({ status: 507, code: 'disk_full' });
    expect(error?.message).toMatch(/needs 262 kB more of the browser's storage, which has \d+ kB left/);
    expect(ranges()).toEqual([]);
  });

  it('takes the room that unfinished pulls of other models have', async () => {
    // Chromium takes storage in steps, so these are megabytes.
    const [large, larger] = [smallGguf(3, 2 ** 20), smallGguf(4, 2 ** 22)];
    hub.put('org/large', 'large-Q8_0.gguf', large);
    hub.put('org/larger', FILE, larger);
    await pullHalf('hf:org/larger', 'content', FILE, larger.length / 2);
    await limitStorage(bench, page, 11e6);
    expect((await pull('hf:org/large')).error).toBeNull();
    expect(await storedFiles(page)).toEqual({ 'large-Q8_0.gguf': large.length, 'model.json': expect.any(Number) });
  });

  it('of a model that no browser can load is refused', async () => {
    hub.put('org/huge', FILE, { bytes: right, listedSize: 5e9 });
    const { error } = await pull('hf:org/huge');
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/5\.0 GB.* no more than 4\.3 GB/) });
  });

  it('fetches the rest of a small file that lies in git itself, without a header that a host must be asked about', async () => {
    hub.put('org/small', FILE, { bytes: right, plain: true });
    await pullHalf('hf:org/small', 'resolve');
    expect((await pull('hf:org/small')).error).toBeNull();
    expect(hub.requests.at(-1)).toMatchObject({ range: `bytes=${HALF}-`, ifRange: undefined });
  });

  it('repairs a model of which the disk has lost something', async () => {
    await pull('hf:org/repo');
    const [model] = await readModels(page);
    await cutInHalf(page, model as BrowserModel);
    expect((await pull('hf:org/repo')).events.at(-1)).toMatchObject({ status: 'done', alreadyHere: false });
    expect(await sha256Of(page, model as BrowserModel)).toBe(sha256(right));
  });

  it('does not replace a model that the user has imported', async () => {
    const url = hub.putFile('x.gguf', right);
    await runJob(page, { kind: 'import', filename: 'x.gguf', size: null }, url);
    expect((await pull(url)).error).toMatchObject({ status: 409, code: 'place_taken' });
  });

  it('is one for two who want the same', async () => {
    hub.fail('content', FILE, { kind: 'slow', pieces: 5, pauseMs: 50 }, 1);
    const both = await Promise.all([pull('hf:org/repo'), pull('hf:org/repo')]);
    expect(both.map(({ error }) => error)).toEqual([null, null]);
    expect(ranges()).toEqual([undefined]);
  });
});
