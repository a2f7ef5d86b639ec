// @module-tag slow
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPuller } from '../../../../src/catalogue/pull/node/puller.ts';
import type { PullEvent } from '../../../../src/contract/models/puller.ts';
import { silentLog } from '../../../kit/log.ts';
import { sha256 } from '../../../kit/servers/hub-repos.ts';
import { openBench, type PullBench, pull, smallGguf } from './fixtures.ts';

/** Time for a result on a machine that may be busy. */
const SOON = { timeout: 10_000 };

const FILE = 'm-Q4_K_M.gguf';
const PLACE = 'org/repo/Q4_K_M';
const TOKEN = 'hf_a-very-secret-token';
const right = smallGguf(1);

let bench: PullBench;
beforeEach(async () => {
  bench = await openBench();
  bench.hub.put('org/repo', FILE, right);
});
afterEach(() => bench.close());

const readJson = async (path: string) => JSON.parse((await bench.read(path)).toString());
const contentRequests = () => bench.hub.requests.filter(({ stage }) => stage === 'content');
const lastOf = (events: PullEvent[]) => events.at(-1);

describe('a pull puts into the models folder', () => {
  it('the model with its id and the source of each file', async () => {
    expect(lastOf(await pull(bench.puller(), 'hf:org/repo'))).toEqual({
      status: 'done',
      model: 'org/repo:Q4_K_M',
      alreadyHere: false,
    });
    const url = expect.stringMatching(new RegExp(`^${bench.hub.url}/org/repo/resolve/[0-9a-f]{40}/${FILE}$`));
    expect(await readJson(`${PLACE}/model.json`)).toEqual({
      id: 'org/repo:Q4_K_M',
      sources: [{ filename: FILE, url, size: right.length, sha256: sha256(right) }],
    });
  });

  it('all parts of a split model, and its projector', async () => {
    const files = ['mmproj-F16.gguf', 'Q8_0/v-Q8_0-00001-of-00002.gguf', 'Q8_0/v-Q8_0-00002-of-00002.gguf'];
    for (const [index, path] of [...files, 'mmproj-F32.gguf'].entries())
      bench.hub.put('org/vision', path, smallGguf(index));
    await pull(bench.puller(), 'hf:org/vision:q8_0');
    expect(await bench.published()).toEqual(
      ['mmproj-F16.gguf', 'model.json', 'v-Q8_0-00001-of-00002.gguf', 'v-Q8_0-00002-of-00002.gguf'].map(
        (name) => `org/vision/Q8_0/${name}`,
      ),
    );
    expect((await bench.read('org/vision/Q8_0/v-Q8_0-00002-of-00002.gguf')).equals(smallGguf(2))).toBe(true);
  });

  it.each([
    ['hf:org/repo/a/Some.Q8_0.gguf', 'a/Some.Q8_0.gguf', 'org/repo/Some.Q8_0'],
    ['hf:org/repo/b-00002-of-00002.gguf', 'b-00002-of-00002.gguf', 'org/repo/b'],
  ])('the model of a single file: %s', async (source, path, id) => {
    for (const other of [path, 'b-00001-of-00002.gguf']) bench.hub.put('org/repo', other, right);
    expect(lastOf(await pull(bench.puller(), source))).toMatchObject({ model: id });
    expect(await bench.published()).toContain(`${id}/model.json`);
  });

  it('the model at any URL, with all parts of a split file', async () => {
    const parts = ['my model-00001-of-00002.gguf', 'my model-00002-of-00002.gguf'];
    const [url] = parts.map((name, index) => bench.hub.putFile(`deep/${name}`, smallGguf(index)));
    expect(lastOf(await pull(bench.puller(), `${url}?signature=secret`))).toMatchObject({ model: 'my-model' });
    expect(await bench.published()).toEqual(['my-model/model.json', ...parts.map((name) => `my-model/${name}`)]);
    const { sources } = await readJson('my-model/model.json');
    expect(sources[0]).toMatchObject({ filename: parts[0], url: `${url?.replace(' ', '%20')}`, size: right.length });
  });

  it('the model of a page of the hub, and refuses an unknown revision', async () => {
    await pull(bench.puller(), `${bench.hub.url}/org/repo/blob/main/${FILE}`);
    expect(await bench.published()).toContain('org/repo/m-Q4_K_M/model.json');
    await expect(pull(bench.puller(), 'hf:org/repo@other')).rejects.toThrow(/no repository or revision/);
  });
});

describe('a pull of a model that exists already', () => {
  it('fetches nothing and says so', async () => {
    await pull(bench.puller(), 'hf:org/repo');
    const before = contentRequests().length;
    expect(lastOf(await pull(bench.puller(), 'hf:org/repo:q4_k_m'))).toMatchObject({
      status: 'done',
      alreadyHere: true,
    });
    expect(contentRequests()).toHaveLength(before);
  });

  it('fetches nothing for a URL either', async () => {
    const url = bench.hub.putFile('x.gguf', right);
    await pull(bench.puller(), url);
    expect(lastOf(await pull(bench.puller(), url))).toMatchObject({ alreadyHere: true });
  });

  it('fetches a damaged file again', async () => {
    await pull(bench.puller(), 'hf:org/repo');
    await writeFile(join(bench.home, 'models', PLACE, FILE), 'short');
    expect(lastOf(await pull(bench.puller(), 'hf:org/repo'))).toMatchObject({ alreadyHere: false });
    expect((await bench.read(`${PLACE}/${FILE}`)).equals(right)).toBe(true);
  });

  it('replaces the model if the repository has another, and keeps what the user wrote about it', async () => {
    await pull(bench.puller(), 'hf:org/repo');
    const card = await readJson(`${PLACE}/model.json`);
    await writeFile(
      join(bench.home, 'models', PLACE, 'model.json'),
      JSON.stringify({ ...card, description: 'mine', settings: { temperature: 0.2 } }),
    );
    bench.hub.put('org/repo', FILE, smallGguf(2));
    expect(lastOf(await pull(bench.puller(), 'hf:org/repo'))).toMatchObject({ alreadyHere: false });
    expect((await bench.read(`${PLACE}/${FILE}`)).equals(smallGguf(2))).toBe(true);
    expect(await readJson(`${PLACE}/model.json`)).toMatchObject({
      id: 'org/repo:Q4_K_M',
      description: 'mine',
      settings: { temperature: 0.2 },
      sources: [{ sha256: sha256(smallGguf(2)) }],
    });
    expect(await readdir(join(bench.home, 'downloads'))).toEqual([]);
  });

  it('keeps the old model until the new one is complete', async () => {
    await pull(bench.puller(), 'hf:org/repo');
    bench.hub.put('org/repo', FILE, smallGguf(2));
    bench.hub.fail('content', FILE, { kind: 'garbled' });
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow();
    expect((await bench.read(`${PLACE}/${FILE}`)).equals(right)).toBe(true);
  });

  it('touches no files of the user, and then fetches nothing', async () => {
    await mkdir(join(bench.home, 'models', PLACE), { recursive: true });
    await writeFile(join(bench.home, 'models', PLACE, FILE), 'mine');
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toMatchObject({
      message: expect.stringMatching(/org\/repo\/Q4_K_M of the models holds files that no pull/),
      data: { status: 409 },
    });
    expect(contentRequests()).toEqual([]);
    expect((await bench.read(`${PLACE}/${FILE}`)).toString()).toBe('mine');
  });
});

describe('the token', () => {
  it('opens a gated repository, and is sent to the hub only', async () => {
    bench.hub.gate('org/repo', TOKEN);
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(/set HF_TOKEN/);
    await pull(bench.puller({ env: { HF_TOKEN: TOKEN } }), 'hf:org/repo');
    const sent = bench.hub.requests.filter(({ authorization }) => authorization === `Bearer ${TOKEN}`);
    expect(new Set(sent.map(({ stage }) => stage))).toEqual(new Set(['info', 'list', 'resolve']));
    expect(contentRequests().map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('is not sent to another host that has the rest of a list', async () => {
    for (const name of ['a', 'b', 'c']) bench.hub.put('org/repo', `${name}.txt`, Buffer.from(name));
    bench.hub.moveLists();
    await pull(bench.puller({ env: { HF_TOKEN: TOKEN } }), 'hf:org/repo');
    const lists = bench.hub.requests.filter(({ stage }) => stage === 'list');
    expect(lists.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, undefined]);
  });

  it('is not sent to another web server', async () => {
    await pull(bench.puller({ env: { HF_TOKEN: TOKEN } }), bench.hub.putFile('x.gguf', right));
    expect(bench.hub.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  it('appears in no error, event, log or file', async () => {
    bench.hub.gate('org/repo', 'another');
    const puller = bench.puller({ env: { HF_TOKEN: TOKEN } });
    const error = await pull(puller, 'hf:org/repo').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/account of HF_TOKEN may not read org\/repo/) });
    bench.hub.gate('org/repo', TOKEN);
    const events = await pull(puller, 'hf:org/repo');
    const card = await readJson(`${PLACE}/model.json`);
    const all = JSON.stringify([error, String(error), events, bench.log, card]);
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain('signature');
  });
});

describe('the events of a pull', () => {
  it('come in order, and their amounts never shrink', async () => {
    bench.hub.put('org/repo', 'mmproj-F16.gguf', smallGguf(3));
    bench.hub.fail('content', FILE, { kind: 'drop', at: 0.6 }, 1);
    bench.hub.fail('content', FILE, { kind: 'no ranges' }, 1);
    const events = await pull(bench.puller(), 'hf:org/repo');
    expect(events.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1])).toEqual([
      ...['resolving', 'downloading', 'waiting', 'downloading', 'verifying', 'downloading', 'verifying', 'done'],
    ]);
    const progress = events.filter((event) => event.status === 'downloading');
    const completed = progress.map((event) => event.completed);
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toMatchObject({ completed: 2 * right.length, total: 2 * right.length, secondsLeft: 0 });
    expect(progress.at(-1)?.bytesPerSecond).toBeGreaterThan(0);
  });

  it('end with done once the catalogue has been refreshed', async () => {
    let before = -1;
    for await (const event of bench.puller().pull('hf:org/repo', new AbortController().signal))
      if (event.status === 'done') before = bench.refreshed();
    expect(before).toBe(1);
  });
});

describe('two pulls of one model', () => {
  it('share the work in one process', async () => {
    const puller = bench.puller();
    bench.hub.fail('content', FILE, { kind: 'slow', pieces: 10, pauseMs: 10 }, 1);
    const results = await Promise.all([pull(puller, 'hf:org/repo'), pull(puller, 'hf:org/repo:q4_k_m')]);
    expect(results.map(lastOf)).toEqual(
      Array(2).fill({ status: 'done', model: 'org/repo:Q4_K_M', alreadyHere: false }),
    );
    expect(contentRequests()).toHaveLength(1);
  });

  it('continue if one of them is cancelled, and end if both are', async () => {
    const puller = bench.puller({ patience: { stallMs: 60_000 } });
    bench.hub.fail('content', FILE, { kind: 'silence', at: 0.5 }, 1);
    const leave = [new AbortController(), new AbortController()];
    const pulls = leave.map(({ signal }) => pull(puller, 'hf:org/repo', signal).catch((error: Error) => error.name));
    await expect.poll(() => contentRequests().length, SOON).toBe(1);
    leave[0]?.abort();
    expect(await pulls[0]).toBe('AbortError');
    expect(await readdir(join(bench.home, 'downloads'))).toHaveLength(2);
    leave[1]?.abort();
    expect(await pulls[1]).toBe('AbortError');
    await expect
      .poll(() => readdir(join(bench.home, 'downloads')), SOON)
      .toEqual([expect.not.stringMatching(/\.lock$/)]);
    expect(lastOf(await pull(puller, 'hf:org/repo'))).toMatchObject({ status: 'done' });
    expect(contentRequests()).toHaveLength(2);
  });

  it('end when nobody reads their events any more', async () => {
    bench.hub.fail('content', FILE, { kind: 'silence', at: 0.5 }, 1);
    const puller = bench.puller({ patience: { stallMs: 60_000 } });
    for await (const event of puller.pull('hf:org/repo', new AbortController().signal))
      if (event.status === 'downloading') break;
    await expect
      .poll(() => readdir(join(bench.home, 'downloads')), SOON)
      .toEqual([expect.not.stringMatching(/\.lock$/)]);
  });

  it('wait for each other between processes, and the second finds the model there', async () => {
    const puller = bench.puller({ patience: { stallMs: 60_000 } });
    bench.hub.fail('content', FILE, { kind: 'slow', pieces: 20, pauseMs: 10 }, 1);
    const first = pull(puller, 'hf:org/repo');
    await expect.poll(() => contentRequests().length, SOON).toBe(1);
    const second = await pull(bench.puller(), 'hf:org/repo');
    expect(second).toContainEqual({ status: 'waiting', reason: `process ${process.pid} is pulling the same model` });
    expect(lastOf(second)).toMatchObject({ alreadyHere: true });
    expect(lastOf(await first)).toMatchObject({ alreadyHere: false });
    expect(contentRequests()).toHaveLength(1);
  });

  it('are refused if both would have the same id but other files', async () => {
    const puller = bench.puller();
    const [one, other] = ['a', 'b'].map((folder) => bench.hub.putFile(`${folder}/x.gguf`, right));
    bench.hub.fail('content', 'a/x.gguf', { kind: 'slow', pieces: 20, pauseMs: 20 });
    const first = pull(puller, one ?? '');
    await expect.poll(() => contentRequests().length, SOON).toBe(2);
    await expect(pull(puller, other ?? '')).rejects.toMatchObject({ data: { status: 409 } });
    await first;
  });

  it.each([
    ['a process that is dead', { pid: 2 ** 22 + 1, host: hostname(), nonce: 'x' }],
    ['a dead process that had the id of this one', { pid: process.pid, host: hostname(), nonce: 'x' }],
  ])('do not wait for %s', async (_, holder) => {
    await mkdir(join(bench.home, 'downloads'), { recursive: true });
    await writeFile(join(bench.home, 'downloads', 'org%2Frepo%3AQ4_K_M.lock'), JSON.stringify(holder));
    const events = await pull(bench.puller(), 'hf:org/repo');
    expect(events.map(({ status }) => status)).not.toContain('waiting');
    expect(await readdir(join(bench.home, 'downloads'))).toEqual([]);
  });
});

describe('a puller', () => {
  it('refuses an HF_ENDPOINT that is not a URL', () => {
    const options = {
      modelsFolder: '/x',
      downloadsFolder: '/y',
      allowPrivate: false,
      refresh: async () => {},
      log: silentLog,
    };
    expect(() => createPuller({ ...options, env: { HF_ENDPOINT: 'hub.example' } })).toThrow(/^HF_ENDPOINT must be/);
  });

  it('refuses an invalid source before it sends any request', async () => {
    await expect(pull(bench.puller(), 'repo')).rejects.toMatchObject({ data: { status: 400, param: 'model' } });
    expect(bench.hub.requests).toEqual([]);
  });

  it('restores a model that a killed pull had moved aside', async () => {
    await pull(bench.puller(), 'hf:org/repo');
    const work = join(bench.home, 'downloads', 'org%2Frepo%3AQ4_K_M');
    await mkdir(work, { recursive: true });
    await rename(join(bench.home, 'models', PLACE), join(work, 'before'));
    expect(lastOf(await pull(bench.puller(), 'hf:org/repo'))).toMatchObject({ alreadyHere: true });
    expect((await readFile(join(bench.home, 'models', PLACE, FILE))).equals(right)).toBe(true);
  });
});
