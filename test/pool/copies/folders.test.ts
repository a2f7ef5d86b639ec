import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCopies } from '../../../src/pool/copies/folders.ts';
import type { CopyStore } from '../../../src/pool/copies/store.ts';
import { recordingLog } from '../../kit/log.ts';

let folder: string;
let lines: string[];
let stores: CopyStore[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-prompts-'));
  lines = [];
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function open(isCurrent: () => boolean = () => true): Promise<CopyStore | null> {
  const settings = { folder: join(folder, 'prompts'), ram: 1024, disk: 1024 };
  const store = await openCopies(settings, isCurrent, recordingLog(lines));
  if (store) stores.push(store);
  return store;
}

const ownerFile = () => join(folder, 'prompts', 'owner');
async function leaveOwner(sign: string, ageMs = 0): Promise<void> {
  await mkdir(join(folder, 'prompts'), { recursive: true });
  await writeFile(ownerFile(), sign);
  const then = new Date(Date.now() - ageMs);
  await utimes(ownerFile(), then, then);
}

describe('the folder of the copies', () => {
  it('has one owner at a time, also within one process', async () => {
    const first = await open();
    expect(first).not.toBeNull();
    expect(await open()).toBeNull();
    expect(lines).toContainEqual(expect.stringContaining('another server keeps its own in this folder'));
    await first?.[Symbol.asyncDispose]();
    stores = [];
    expect(await open()).not.toBeNull();
  });

  it('is not taken from a server that runs here', async () => {
    await leaveOwner(`${process.ppid} ${hostname()}`);
    expect(await open()).toBeNull();
  });

  it('is not taken from a server elsewhere that has given a sign lately', async () => {
    await leaveOwner(`${process.pid} another-host`);
    expect(await open()).toBeNull();
  });

  it.each<[string, () => string, number]>([
    ['a server with the same process id, as after the restart of a container', () => `${process.pid} ${hostname()}`, 0],
    ['a server that is gone', () => `${2 ** 22 + 1} ${hostname()}`, 0],
    ['a server elsewhere that has been silent for long', () => '1 another-host', 120_000],
    ['nobody knows whom', () => '', 120_000],
  ])('is taken over from %s', async (_, sign, ageMs) => {
    await leaveOwner(sign(), ageMs);
    expect(await open()).not.toBeNull();
    expect(await readFile(ownerFile(), 'utf8')).toBe(`${process.pid} ${hostname()}`);
  });

  it('is given up again where the store can not be opened', async () => {
    await mkdir(join(folder, 'prompts', 'disk', 'a'.repeat(32)), { recursive: true });
    const fails = () => {
      throw new Error('the catalogue can not be read');
    };
    expect(await open(fails)).toBeNull();
    expect(await open()).not.toBeNull();
  });
});
