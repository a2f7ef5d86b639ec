import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api, ApiRequest } from '../../src/api/http/http.ts';
import type { ApiKey, ApiKeys } from '../../src/api/keys/key.ts';
import { type BatchFolder, openBatches } from '../../src/batches/folder.ts';
import { BATCH_LIMITS, type BatchLimits } from '../../src/batches/limits.ts';
import type { BatchObject } from '../../src/contract/batches.ts';
import { collect } from '../api/fixtures.ts';
import { recordingLog, silentLog } from '../kit/log.ts';
import { until } from '../kit/until.ts';

const DAY_S = 24 * 60 * 60;
const ADA = { id: 'hash-of-ada', key: 'ada' };
const BOB = { id: 'hash-of-bob', key: 'bob' };

let folder: string;
let clock: number;
let opened: BatchFolder | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-batches-'));
  clock = 1_000_000;
});
afterEach(async () => {
  await opened?.[Symbol.asyncDispose]();
  opened = undefined;
  await rm(folder, { recursive: true });
});

async function open(limits: Partial<BatchLimits> = {}) {
  opened = await openBatches({ folder, log: silentLog, limits: { ...BATCH_LIMITS, ...limits }, now: () => clock });
  return opened.get();
}

const keyNamed = (name: string): ApiKey => ({ name, models: null, manages: false, priority: 5, limits: null });
const keys: ApiKeys = { required: true, find: () => undefined, named: keyNamed };

interface AskedRequest {
  customId: string;
  request: ApiRequest;
  answer: (status?: number, headers?: Record<string, string>) => void;
}

/** An API that answers when the test says so, or at once. A request that is aborted gets the status 499. */
function createServer(atOnce = false) {
  const asked: AskedRequest[] = [];
  const api: Api = async (request) => {
    const body = await request.text();
    const { signal } = request;
    return new Promise((resolve) => {
      const reply = (status: number, headers: Record<string, string> = {}) =>
        resolve({ status, headers: { 'x-request-id': 'req', ...headers }, body });
      signal.addEventListener('abort', () => reply(499));
      asked.push({
        customId: JSON.parse(body).input,
        request,
        answer: (status = 200, headers) => reply(status, headers),
      });
      if (atOnce) reply(200);
    });
  };
  return { api, asked, ids: () => asked.map(({ customId }) => customId) };
}

const lines = (...ids: string[]) =>
  ids
    .map((id) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/embeddings', body: { input: id } }))
    .join('\n');

type Batches = Awaited<ReturnType<typeof open>>;

async function create(batches: Batches, ids: string, owner = ADA): Promise<BatchObject> {
  const file = { filename: 'x.jsonl', bytes: Buffer.from(lines(...ids)), expiresAfter: DAY_S };
  const { id } = await batches.addFile(owner.id, file);
  return batches.create(owner, {
    inputFileId: id,
    endpoint: '/v1/embeddings',
    metadata: null,
    outputExpiresAfter: DAY_S,
  });
}

async function resultsOf(batches: Batches, id: string | null | undefined): Promise<Record<string, unknown>[]> {
  const text = (await collect(batches.readFile(id ?? ''))).join('');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Waits until a batch has a status, and returns it. */
async function reached(batches: Batches, { id }: BatchObject, status: string, owner = ADA): Promise<BatchObject> {
  await until(() => batches.find(owner.id, id)?.status === status);
  return batches.find(owner.id, id) as BatchObject;
}

describe('a batch', () => {
  it('asks as many requests at once as there are slots, and one more, for its key, behind all other requests', async () => {
    const batches = await open();
    const { api, asked, ids } = createServer();
    batches.start({ api, keys, slots: () => 2 });
    const made = await create(batches, 'abcde');
    await until(() => asked.length === 3);
    expect(asked[0]?.request).toMatchObject({
      path: '/v1/embeddings',
      onBehalf: { owner: ADA.id, key: { name: 'ada' }, party: { name: 'ada', priority: -995 } },
    });
    asked[1]?.answer();
    await until(() => asked.length === 4);
    expect(batches.openRequests()).toBe(4);
    expect(ids()).toEqual(['a', 'b', 'c', 'd']);
    expect(batches.find(ADA.id, made.id)).toMatchObject({
      status: 'in_progress',
      request_counts: { total: 5, completed: 1, failed: 0 },
    });
    for (const { answer } of asked) answer();
    await until(() => asked.length === 5);
    asked[4]?.answer(400);
    const done = await reached(batches, made, 'completed');
    expect(done.request_counts).toEqual({ total: 5, completed: 4, failed: 1 });
    expect(batches.openRequests()).toBe(0);
    const outputs = await resultsOf(batches, done.output_file_id);
    expect(outputs.map(({ custom_id }) => custom_id).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(outputs[0]).toMatchObject({
      id: expect.stringMatching(/^batch_req_/),
      response: { status_code: 200, request_id: 'req' },
      error: null,
    });
    expect(await resultsOf(batches, done.error_file_id)).toMatchObject([{ custom_id: 'e' }]);
  });

  it('asks a request again that gave way, or that was refused for a time', async () => {
    const batches = await open();
    const { api, asked, ids } = createServer();
    batches.start({ api, keys, slots: () => 1 });
    const made = await create(batches, 'ab');
    await until(() => asked.length === 2);
    asked[0]?.request.onBehalf?.party.giveWay?.();
    asked[1]?.answer(503, { 'retry-after': '1' });
    await until(() => asked.length === 4);
    expect(ids().slice(2).toSorted()).toEqual(['a', 'b']);
    for (const { answer } of asked) answer();
    const { request_counts } = await reached(batches, made, 'completed');
    expect(request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  });

  it('goes on at the next start, asks no answered request again, and drops a result that was cut off', async () => {
    const first = await open();
    const before = createServer();
    first.start({ api: before.api, keys, slots: () => 3 });
    const made = await create(first, 'abcd');
    await until(() => before.asked.length === 4);
    before.asked[2]?.answer();
    await until(() => first.find(ADA.id, made.id)?.request_counts.completed === 1);
    await opened?.[Symbol.asyncDispose]();
    const results = (await readdir(join(folder, 'files'))).filter((name) => name.endsWith('.jsonl'));
    expect(results).toHaveLength(3);
    for (const name of results)
      if (!(await isInput(name))) await appendFile(join(folder, 'files', name), '{"custom_id":"d"');

    const second = await open();
    const after = createServer(true);
    second.start({ api: after.api, keys, slots: () => 3 });
    const done = await reached(second, made, 'completed');
    expect(after.ids().toSorted()).toEqual(['a', 'b', 'd']);
    expect(done.request_counts).toEqual({ total: 4, completed: 4, failed: 0 });
    expect(await resultsOf(second, done.output_file_id)).toHaveLength(4);
  });

  const isInput = async (name: string) =>
    (await readdir(join(folder, 'files'))).includes(name.replace(/\.jsonl$/, '.json'));

  it('expires after its window, with what is answered by then', async () => {
    const batches = await open();
    const { api, asked } = createServer();
    batches.start({ api, keys, slots: () => 1 });
    const made = await create(batches, 'abc');
    await until(() => asked.length === 2);
    asked[0]?.answer();
    await until(() => batches.find(ADA.id, made.id)?.request_counts.completed === 1);
    await opened?.[Symbol.asyncDispose]();
    clock += DAY_S;
    const later = await open();
    later.start({ api, keys, slots: () => 1 });
    const done = await reached(later, made, 'expired');
    expect(await resultsOf(later, done.output_file_id)).toMatchObject([{ custom_id: 'a' }]);
    expect(await resultsOf(later, done.error_file_id)).toMatchObject([
      { custom_id: 'b', response: null, error: { code: 'batch_expired' } },
      { custom_id: 'c' },
    ]);
  });

  it('fails when its key is removed', async () => {
    const batches = await open();
    const { api, asked } = createServer();
    let isThere = true;
    const some: ApiKeys = { ...keys, named: (name) => (isThere ? keyNamed(name) : undefined) };
    batches.start({ api, keys: some, slots: () => 1 });
    const made = await create(batches, 'abc');
    await until(() => asked.length === 2);
    isThere = false;
    asked[0]?.answer();
    const { errors, output_file_id } = await reached(batches, made, 'failed');
    expect(errors?.data).toMatchObject([{ code: 'key_removed', line: null }]);
    expect(await resultsOf(batches, output_file_id)).toMatchObject([{ custom_id: 'a' }]);
  });

  it('fails when its file can not be read any more, and the next one runs', async () => {
    const batches = await open();
    const { api, asked } = createServer();
    batches.start({ api, keys, slots: () => 1 });
    const first = await create(batches, 'a');
    const second = await create(batches, 'bc');
    await until(() => asked.length === 1);
    await reached(batches, second, 'in_progress');
    await rm(join(folder, 'files', `${second.input_file_id}.jsonl`));
    asked[0]?.answer();
    await reached(batches, first, 'completed');
    const { errors } = await reached(batches, second, 'failed');
    expect(errors?.data).toMatchObject([{ code: 'server_error' }]);
  });

  it('runs after the earlier one of its owner, and beside those of others', async () => {
    const batches = await open();
    const { api, asked, ids } = createServer();
    batches.start({ api, keys, slots: () => 1 });
    await create(batches, 'ab');
    const second = await create(batches, 'cd');
    await create(batches, 'ef', BOB);
    await until(() => asked.length === 4);
    expect(ids().toSorted()).toEqual(['a', 'b', 'e', 'f']);
    for (const { answer } of asked) answer();
    await until(() => asked.length === 6);
    for (const { answer } of asked) answer();
    await reached(batches, second, 'completed');
  });

  it('is cancelled at once while it waits for its turn', async () => {
    const batches = await open();
    const { api, asked } = createServer();
    batches.start({ api, keys, slots: () => 1 });
    await create(batches, 'ab');
    const second = await create(batches, 'cd');
    await reached(batches, second, 'in_progress');
    expect(await batches.cancel(second.id)).toMatchObject({ status: 'cancelling' });
    const done = await reached(batches, second, 'cancelled');
    expect(await resultsOf(batches, done.error_file_id)).toHaveLength(2);
    expect(await batches.cancel(second.id)).toEqual(done);
    expect(asked).toHaveLength(2);
  });

  it('is one of so many that an owner may have under way', async () => {
    const batches = await open({ ownerBatches: 2 });
    await create(batches, 'a');
    await create(batches, 'b');
    await expect(create(batches, 'c')).rejects.toMatchObject({ data: { status: 429, code: 'too_many_batches' } });
    await expect(create(batches, 'c', BOB)).resolves.toMatchObject({ status: 'validating' });
  });

  it('is forgotten a month after it was made, or when its owner has too many, the oldest first', async () => {
    const batches = await open({ ownerEnded: 2 });
    batches.start({ api: createServer(true).api, keys, slots: () => 1 });
    const made: BatchObject[] = [];
    for (const id of 'abcd') {
      made.push(await create(batches, id));
      await reached(batches, made.at(-1) as BatchObject, 'completed');
    }
    expect(batches.list(ADA.id).map(({ id }) => id)).toEqual([made[3], made[2], made[1]].map((batch) => batch?.id));
    clock += 31 * DAY_S;
    const last = await create(batches, 'e');
    expect(batches.list(ADA.id).map(({ id }) => id)).toEqual([last.id]);
  });
});

describe('a stored file', () => {
  const file = (bytes: number) => ({ filename: 'x', bytes: new Uint8Array(bytes), expiresAfter: DAY_S });

  it('is still there after a restart, and deleted when it has expired', async () => {
    const { id } = await (await open()).addFile(ADA.id, file(3));
    await opened?.[Symbol.asyncDispose]();
    const batches = await open();
    expect(batches.files(ADA.id)).toMatchObject([{ id, bytes: 3 }]);
    expect(batches.files(BOB.id)).toEqual([]);
    clock += DAY_S;
    expect(batches.files(ADA.id)).toEqual([]);
    await until(async () => (await readdir(join(folder, 'files'))).length === 0);
  });

  it('is kept beyond its time while a batch needs it, and is not deleted by its owner either', async () => {
    const batches = await open();
    const { input_file_id: id } = await create(batches, 'a');
    clock += DAY_S;
    expect(batches.findFile(ADA.id, id)).toMatchObject({ id });
    await expect(batches.removeFile(id)).rejects.toMatchObject({ data: { status: 409, code: 'file_in_use' } });
  });

  it.each([
    ['bytes of its owner', { ownerBytes: 10 }, 'together they may have 10'],
    ['files of its owner', { ownerFiles: 2 }, 'You have 2 files already'],
    ['bytes of all', { bytes: 10 }, 'no room for more files'],
    ['files of all', { files: 2 }, 'no room for more files'],
  ])('is refused over the limit of %s', async (_, limits, message) => {
    const batches = await open(limits);
    await batches.addFile(ADA.id, file(4));
    await batches.addFile(ADA.id, file(4));
    await expect(batches.addFile(ADA.id, file(4))).rejects.toMatchObject({
      data: { status: 413, code: 'storage_limit_exceeded', message: expect.stringContaining(message) },
    });
  });

  it('leaves nothing that belongs to no batch and no file', async () => {
    await open();
    await opened?.[Symbol.asyncDispose]();
    await appendFile(join(folder, 'files', 'file_lost.jsonl'), 'half');
    await open();
    expect(await readdir(join(folder, 'files'))).toEqual([]);
  });
});

describe('the folder of batches', () => {
  const hasBatches = ({ get }: BatchFolder) => {
    try {
      return get() !== null;
    } catch {
      return false;
    }
  };

  it('belongs to one server: another one says why it has no batches, and goes on with them when the first has ended', async () => {
    const first = await open();
    const made = await create(first, 'a');
    const other = await openBatches({ folder, log: silentLog, now: () => clock, retryMs: 10 });
    other.start({ api: createServer(true).api, keys, slots: () => 1 });
    expect(other.get).toThrow('another server of this user keeps its own');
    await opened?.[Symbol.asyncDispose]();
    await until(() => hasBatches(other));
    await reached(other.get(), made, 'completed');
    await other[Symbol.asyncDispose]();
  });

  it('that can not be made leaves a server without batches, which says so', async () => {
    const logged: string[] = [];
    await appendFile(join(folder, 'file'), '');
    const none = await openBatches({ folder: join(folder, 'file', 'batches'), log: recordingLog(logged) });
    expect(none.get).toThrow('its folder for them can not be used');
    expect(logged.join()).toContain('no batches');
  });
});
