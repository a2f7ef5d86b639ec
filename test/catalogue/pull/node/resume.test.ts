// @module-tag slow
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBench, type PullBench, pull, smallGguf } from './fixtures.ts';

/** Time for a result on a machine that may be busy. */
const SOON = { timeout: 10_000 };

const FILE = 'm-Q4_K_M.gguf';
const right = smallGguf(1);
const HALF = right.length / 2;

let bench: PullBench;
beforeEach(async () => {
  bench = await openBench();
  bench.hub.put('org/repo', FILE, right);
});
afterEach(() => bench.close());

/** Pulls until half of the file is on disk, then cancels. */
async function pullHalf(source: string, file = FILE): Promise<void> {
  bench.hub.fail('content', file, { kind: 'silence', at: 0.5 }, 1);
  const leave = new AbortController();
  const pulled = pull(bench.puller({ patience: { stallMs: 60_000 } }), source, leave.signal);
  await expect.poll(async () => (await workFiles()).get(`${file}.part`)?.length, SOON).toBe(HALF);
  leave.abort();
  await expect(pulled).rejects.toThrow(/abort/i);
  await expect.poll(locks, SOON).toEqual([]);
  bench.hub.requests.length = 0;
}

/** Returns the workspace of the only pull in the downloads folder. */
async function workFolder(): Promise<string> {
  const downloads = join(bench.home, 'downloads');
  const [name] = (await readdir(downloads)).filter((entry) => !entry.endsWith('.lock'));
  return join(downloads, name ?? '');
}

async function workFiles(): Promise<Map<string, Buffer>> {
  const folder = join(await workFolder().catch(() => bench.home), 'model');
  const names = await readdir(folder).catch(() => []);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

async function locks(): Promise<string[]> {
  return (await readdir(join(bench.home, 'downloads'))).filter((entry) => entry.endsWith('.lock'));
}

/** Returns the range of each request for content. */
function ranges(): (string | undefined)[] {
  return bench.hub.requests.filter(({ stage }) => stage === 'content').map(({ range }) => range);
}

describe('a pull that continues an earlier one', () => {
  it('fetches only the rest', async () => {
    await pullHalf('hf:org/repo');
    expect(await bench.published()).toEqual([]);
    const events = await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([`bytes=${HALF}-`]);
    expect((await bench.read(`org/repo/Q4_K_M/${FILE}`)).equals(right)).toBe(true);
    expect(events[1]).toMatchObject({ status: 'downloading', completed: HALF, total: right.length });
    expect(await readdir(join(bench.home, 'downloads'))).toEqual([]);
  });

  it('fetches only the rest if the repository has a new commit with the same file', async () => {
    await pullHalf('hf:org/repo');
    bench.hub.put('org/repo', 'README.md', { bytes: Buffer.from('news'), plain: true });
    await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([`bytes=${HALF}-`]);
  });

  it('starts again if the repository has another file', async () => {
    await pullHalf('hf:org/repo');
    bench.hub.put('org/repo', FILE, smallGguf(2));
    await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([undefined]);
    expect((await bench.read(`org/repo/Q4_K_M/${FILE}`)).equals(smallGguf(2))).toBe(true);
  });

  it('fetches everything again if the bytes on disk turn out to be wrong', async () => {
    await pullHalf('hf:org/repo');
    await writeFile(join(await workFolder(), 'model', `${FILE}.part`), Buffer.alloc(HALF));
    await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([`bytes=${HALF}-`, undefined]);
    expect((await bench.read(`org/repo/Q4_K_M/${FILE}`)).equals(right)).toBe(true);
  });

  it('starts again if there are more bytes on disk than the file has', async () => {
    await pullHalf('hf:org/repo');
    await writeFile(join(await workFolder(), 'model', `${FILE}.part`), Buffer.alloc(right.length + 1));
    await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([undefined]);
  });

  it('starts again if nothing identifies the files on disk', async () => {
    await pullHalf('hf:org/repo');
    await writeFile(join(await workFolder(), 'journal.json'), '{"files": [{"name":');
    await pull(bench.puller(), 'hf:org/repo');
    expect(ranges()).toEqual([undefined]);
  });

  it('does not publish other files in its folder', async () => {
    await pullHalf('hf:org/repo');
    await writeFile(join(await workFolder(), 'model', 'stray.gguf'), 'stray');
    await mkdir(join(await workFolder(), 'model', 'folder'));
    await pull(bench.puller(), 'hf:org/repo');
    expect(await bench.published()).toEqual([`org/repo/Q4_K_M/${FILE}`, 'org/repo/Q4_K_M/model.json']);
  });

  it('does not fetch a complete part of a split model again', async () => {
    const parts = ['s-Q8_0-00001-of-00002.gguf', 's-Q8_0-00002-of-00002.gguf'];
    for (const [index, part] of parts.entries()) bench.hub.put('org/split', part, smallGguf(10 + index));
    bench.hub.fail('content', parts[1] ?? '', { kind: 'status', status: 404 }, 1);
    await expect(pull(bench.puller(), 'hf:org/split')).rejects.toThrow();
    bench.hub.requests.length = 0;
    const events = await pull(bench.puller(), 'hf:org/split');
    expect(bench.hub.requests.filter(({ stage }) => stage === 'content').map(({ path }) => path)).toEqual([parts[1]]);
    expect(events[1]).toMatchObject({ status: 'downloading', file: parts[0], completed: right.length });
    expect(await bench.published()).toEqual(['model.json', ...parts].map((name) => `org/split/Q8_0/${name}`));
  });

  it('fetches the rest of a small file that lies in git itself', async () => {
    bench.hub.put('org/small', FILE, { bytes: right, plain: true });
    bench.hub.fail('resolve', FILE, { kind: 'silence', at: 0.5 }, 1);
    await pull(bench.puller({ patience: { stallMs: 1_000 } }), 'hf:org/small');
    expect(bench.hub.requests.at(-1)).toMatchObject({
      range: `bytes=${HALF}-`,
      ifRange: expect.stringMatching(/^"[0-9a-f]{40}"$/),
    });
    expect((await bench.read(`org/small/Q4_K_M/${FILE}`)).equals(right)).toBe(true);
  });
});

describe('a pull from a web server that continues an earlier one', () => {
  it('fetches only the rest if the file is still the same', async () => {
    const url = bench.hub.putFile('x.gguf', right);
    bench.hub.fail('content', 'x.gguf', { kind: 'drop', at: 1 }, 1);
    await pullHalf(url, 'x.gguf');
    await pull(bench.puller(), `${url}?signature=new`);
    expect(bench.hub.requests).toMatchObject([
      { range: 'bytes=0-0' },
      { range: `bytes=${HALF}-`, ifRange: expect.stringMatching(/^"[0-9a-f]{64}"$/) },
    ]);
    expect((await bench.read('x/x.gguf')).equals(right)).toBe(true);
  });

  it('starts again if the server has another file of the same length', async () => {
    const url = bench.hub.putFile('x.gguf', right);
    bench.hub.fail('content', 'x.gguf', { kind: 'drop', at: 1 }, 1);
    await pullHalf(url, 'x.gguf');
    bench.hub.putFile('x.gguf', smallGguf(2));
    await pull(bench.puller(), url);
    expect(ranges()).toEqual(['bytes=0-0', undefined]);
    expect((await bench.read('x/x.gguf')).equals(smallGguf(2))).toBe(true);
  });

  it('starts again if the file changes during an interruption', async () => {
    const url = bench.hub.putFile('x.gguf', right);
    bench.hub.fail('content', 'x.gguf', { kind: 'drop', at: 1 }, 1);
    bench.hub.fail('content', 'x.gguf', { kind: 'silence', at: 0.5 }, 1);
    const pulled = pull(bench.puller({ patience: { stallMs: 1_000 } }), url);
    await expect.poll(async () => (await workFiles()).get('x.gguf.part')?.length, SOON).toBe(HALF);
    bench.hub.putFile('x.gguf', smallGguf(2));
    await pulled;
    expect((await bench.read('x/x.gguf')).equals(smallGguf(2))).toBe(true);
    expect(ranges()).toEqual(['bytes=0-0', undefined, `bytes=${HALF}-`]);
  });

  it('starts again if the server sends neither ETag nor date', async () => {
    const url = bench.hub.putFile('x.gguf', right, { validator: false });
    bench.hub.fail('content', 'x.gguf', { kind: 'drop', at: 1 }, 1);
    bench.hub.fail('content', 'x.gguf', { kind: 'drop', at: 0.5 }, 1);
    await pull(bench.puller(), url);
    expect(ranges()).toEqual(['bytes=0-0', undefined, undefined]);
  });
});
