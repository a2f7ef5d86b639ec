import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from '../../../../src/catalogue/pull/node/lock.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-lock-'));
  path = join(folder, 'x.lock');
});
afterEach(() => rm(folder, { recursive: true }));

const never = new AbortController().signal;
const noWait = () => expect.unreachable('it waits');

describe('a lock', () => {
  it('is held by one at a time, and leaves nothing behind', async () => {
    const holders: number[] = [];
    let most = 0;
    const work = async (name: number) => {
      const release = await takeLock(path, never, () => {});
      holders.push(name);
      most = Math.max(most, holders.length);
      await new Promise(setImmediate);
      holders.pop();
      await release();
    };
    await Promise.all([1, 2, 3].map(work));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('names its holder to those who wait, and lets them give up', async () => {
    const release = await takeLock(path, never, noWait);
    const leave = new AbortController();
    const told: number[] = [];
    const waiting = takeLock(path, leave.signal, (pid) => {
      told.push(pid);
      leave.abort();
    });
    await expect(waiting).rejects.toThrow(/abort/i);
    expect(told).toEqual([process.pid]);
    await release();
  });

  it.each([
    ['of a holder elsewhere that gives no sign of life', JSON.stringify({ pid: 1, host: 'elsewhere', nonce: 'x' })],
    ['that was never written to its end', '{"pid":'],
  ])('is taken over after a while if it is one %s', async (_, content) => {
    await writeFile(path, content);
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(path, longAgo, longAgo);
    const release = await takeLock(path, never, noWait);
    await release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a dead holder is taken over by only one of many', async () => {
    await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, host: 'elsewhere', nonce: 'x' }));
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(path, longAgo, longAgo);
    const leave = new AbortController();
    const taken = await Promise.allSettled(
      Array.from({ length: 8 }, () => takeLock(path, leave.signal, () => setImmediate(() => leave.abort()))),
    );
    const releases = taken.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(releases).toHaveLength(1);
    await releases[0]?.();
  });
});
