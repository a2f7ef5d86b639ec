import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FromCopyStore, Tier, ToldCopy } from '../../../src/engine/node/copy-messages.ts';
import { readRecord } from '../../../src/pool/copies/copy-file.ts';
import { type CopyConnection, type CopyStore, openCopyStore } from '../../../src/pool/copies/store.ts';
import { eventually } from '../../kit/eventually.ts';
import { recordingLog } from '../../kit/log.ts';
import { makeRandom } from '../../kit/random.ts';

const MODEL = 'a'.repeat(32);
const KIB = 1024;

let folder: string;
let lines: string[];
let stores: CopyStore[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-copies-'));
  lines = [];
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const open = async (limits: Partial<Record<Tier, number>> = {}, isCurrent = () => true) => {
  const folders = { ram: join(folder, 'ram'), disk: join(folder, 'disk') };
  const opened = { ram: 100 * KIB, disk: 100 * KIB, ...limits };
  const store = await openCopyStore({ folders, limits: opened, isCurrent, log: recordingLog(lines) });
  stores.push(store);
  return store;
};

/** An engine at the store that writes what it likes in place of states. */
class FakeEngine {
  readonly known = new Map<string, ToldCopy>();
  private readonly answers = new Map<number, (path: string | null) => void>();
  private readonly connection: CopyConnection;
  private asked = 0;

  constructor(store: CopyStore, identity = MODEL) {
    this.connection = store.connect(identity, 'tiny', (message) => this.hear(message));
  }

  /** Resolves when it has been told of all copies. */
  get told() {
    return this.connection.told;
  }

  private hear(message: FromCopyStore): void {
    if (message.kind === 'answer') this.answers.get(message.id)?.(message.path);
    if (message.kind === 'added') for (const copy of message.copies) this.known.set(copy.name, copy);
    if (message.kind === 'dropped') this.known.delete(message.name);
    const moved = message.kind === 'moved' ? this.known.get(message.name) : undefined;
    if (moved && message.kind === 'moved') moved.tier = message.tier;
  }

  private ask(send: (id: number) => void): Promise<{ id: number; path: string | null }> {
    const id = this.asked++;
    return new Promise((resolve) => {
      this.answers.set(id, (path) => resolve({ id, path }));
      send(id);
    });
  }

  reserve(bytes: number, tokens = 16) {
    return this.ask((id) => this.connection.receive({ kind: 'reserve', id, bytes, tokens }));
  }

  saved(id: number, { first = 0, evaluateMs = 1000, replaces = [] as string[], scope = '' } = {}) {
    const tokens = Uint32Array.from({ length: 16 }, (_, index) => first + index);
    this.connection.receive({ kind: 'saved', id, scope, tokens, evaluateMs, replaces });
  }

  /** Has a copy made; resolves to it when the store tells of it, or to null if there was no room. */
  async keep(bytes: number, options: Parameters<FakeEngine['saved']>[1] = {}): Promise<ToldCopy | null> {
    const { id, path } = await this.reserve(bytes);
    if (path === null) return null;
    const before = new Set(this.known.keys());
    await writeFile(path, Buffer.alloc(bytes, 7));
    this.saved(id, options);
    return eventually(() => {
      const added = [...this.known.values()].find(({ name }) => !before.has(name));
      if (!added) throw new Error('the store has not told of the copy yet');
      return added;
    });
  }

  open(name: string) {
    return this.ask((id) => this.connection.receive({ kind: 'open', id, name }));
  }

  closed(name: string, ok = true) {
    this.connection.receive({ kind: 'closed', name, ok });
  }

  abandon(id: number) {
    this.connection.receive({ kind: 'abandoned', id });
  }

  die() {
    this.connection.close();
  }
}

const filesIn = async (tier: Tier) => {
  const entries = await readdir(join(folder, tier), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};
const bytesOnDisk = async (tier: Tier) => {
  const sizes = await Promise.all((await filesIn(tier)).map((file) => stat(file).catch(() => ({ size: 0 }))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
};

describe('a copy', () => {
  it('is written apart, and known only when it is whole', async () => {
    const engine = new FakeEngine(await open());
    const { id, path } = await engine.reserve(KIB);
    expect(path).toMatch(/\.part$/);
    expect(engine.known.size).toBe(0);
    await writeFile(String(path), Buffer.alloc(KIB));
    engine.saved(id);
    await eventually(() => expect(engine.known.size).toBe(1));
    expect(await filesIn('ram')).toEqual([expect.stringMatching(/\.copy$/)]);
  });

  it('can be read again as it was', async () => {
    const engine = new FakeEngine(await open());
    const copy = await engine.keep(3 * KIB);
    const { path } = await engine.open(String(copy?.name));
    const bytes = await readFile(String(path));
    expect(bytes.subarray(0, 3 * KIB).equals(Buffer.alloc(3 * KIB, 7))).toBe(true);
    expect(await readRecord(String(path))).toEqual({
      facts: { identity: MODEL, model: 'tiny', scope: '', evaluateMs: 1000 },
      tokens: copy?.tokens,
    });
  });

  it.skipIf(process.platform === 'win32')('can be read by its owner only', async () => {
    const engine = new FakeEngine(await open());
    await engine.keep(KIB);
    const [file = ''] = await filesIn('ram');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
  });

  it('goes when a longer one has its beginning', async () => {
    const engine = new FakeEngine(await open());
    const first = await engine.keep(KIB);
    const second = await engine.keep(2 * KIB, { replaces: [String(first?.name)] });
    await eventually(() => expect([...engine.known.keys()]).toEqual([second?.name]));
    expect(await filesIn('ram')).toHaveLength(1);
  });

  it('is not told to engines of another model, version or backend', async () => {
    const store = await open();
    const engine = new FakeEngine(store);
    const copy = await engine.keep(KIB);
    const other = new FakeEngine(store, 'b'.repeat(32));
    expect((await other.open(String(copy?.name))).path).toBeNull();
    expect(other.known.size).toBe(0);
  });
});

describe('a damaged copy', () => {
  it.each<[string, (file: string) => Promise<void>]>([
    ['cut', (file) => truncate(file, 700)],
    ['empty', (file) => truncate(file, 0)],
    ['longer than it was', (file) => appendFile(file, 'more')],
    ['of other bytes', async (file) => writeFile(file, flipped(await readFile(file), 100))],
    ['of other tokens', async (file) => writeFile(file, flipped(await readFile(file), KIB + 2))],
    ['of another sum', async (file) => writeFile(file, flipped(await readFile(file), -10))],
    ['gone', (file) => rm(file)],
  ])('that is %s is a miss, and deleted', async (_, damage) => {
    const engine = new FakeEngine(await open());
    const copy = await engine.keep(KIB);
    for (const file of await filesIn('ram')) await damage(file);
    expect((await engine.open(String(copy?.name))).path).toBeNull();
    expect(await filesIn('ram')).toEqual([]);
    expect(engine.known.size).toBe(0);
  });

  it('is deleted when the engine can not load it', async () => {
    const engine = new FakeEngine(await open());
    const copy = await engine.keep(KIB);
    await engine.open(String(copy?.name));
    engine.closed(String(copy?.name), false);
    await eventually(async () => expect(await filesIn('ram')).toEqual([]));
  });
});

describe('the next server', () => {
  it('finds on disk what lay in RAM, and no memory is held in between', async () => {
    const first = await open();
    const copy = await new FakeEngine(first).keep(KIB, { scope: 'someone' });
    await first[Symbol.asyncDispose]();
    expect(existsSync(join(folder, 'ram'))).toBe(false);
    const engine = new FakeEngine(await open());
    await eventually(() => expect(engine.known.size).toBe(1));
    expect([...engine.known.values()]).toEqual([{ ...copy, tier: 'disk' }]);
    expect((await engine.open(String(copy?.name))).path).not.toBeNull();
  });

  it('finds in RAM what a killed one left there', async () => {
    await new FakeEngine(await open()).keep(KIB);
    const engine = new FakeEngine(await open());
    await eventually(() => expect([...engine.known.values()]).toMatchObject([{ tier: 'ram' }]));
  });

  it('deletes what is of no use any more: unfinished, foreign, or of models that are gone', async () => {
    const engine = new FakeEngine(await open());
    await engine.keep(KIB);
    const gone = new FakeEngine(stores[0] as CopyStore, 'b'.repeat(32));
    await gone.keep(KIB);
    const { path } = await engine.reserve(KIB);
    await writeFile(String(path), 'half of a state');
    await mkdir(join(folder, 'disk', MODEL), { recursive: true });
    await writeFile(join(folder, 'disk', MODEL, 'foreign.copy'), 'no copy at all');
    await writeFile(join(folder, 'disk', MODEL, 'notes.txt'), 'not ours');
    await open({}, (identity?: string) => identity === MODEL);
    expect(await filesIn('ram')).toHaveLength(1);
    expect(await filesIn('disk')).toEqual([]);
  });

  it('keeps a smaller bound at once', async () => {
    const engine = new FakeEngine(await open());
    for (let count = 0; count < 5; count++) await engine.keep(4 * KIB);
    await open({ ram: 20 * KIB });
    expect(await bytesOnDisk('ram')).toBeLessThanOrEqual(20 * KIB);
    expect(await filesIn('ram')).not.toEqual([]);
  });
});

describe('the tiers', () => {
  it('fill RAM first, then disk', async () => {
    const engine = new FakeEngine(await open({ ram: 32 * KIB }));
    for (let count = 0; count < 6; count++) await engine.keep(8 * KIB);
    await eventually(() => {
      const tiers = [...engine.known.values()].map(({ tier }) => tier);
      expect(tiers.filter((tier) => tier === 'disk').length).toBeGreaterThanOrEqual(4);
      expect(tiers).toHaveLength(6);
    });
  });

  it('give RAM up when a model needs it', async () => {
    const store = await open();
    const engine = new FakeEngine(store);
    for (let count = 0; count < 4; count++) await engine.keep(4 * KIB);
    await store.freeMemory(100 * KIB);
    expect(store.held().ram).toBe(0);
    expect(await filesIn('ram')).toEqual([]);
    expect([...engine.known.values()].map(({ tier }) => tier)).toEqual(['disk', 'disk', 'disk', 'disk']);
  });

  it('keep nothing where there is no room, and say so', async () => {
    const engine = new FakeEngine(await open({ ram: 0, disk: 0 }));
    expect(await engine.keep(KIB)).toBeNull();
    expect(await filesIn('ram')).toEqual([]);
  });

  it('drop what RAM gives up if there is no disk for it', async () => {
    const store = await open({ disk: 0 });
    const engine = new FakeEngine(store);
    await engine.keep(4 * KIB);
    await store.freeMemory(100 * KIB);
    expect(engine.known.size).toBe(0);
    expect(store.held()).toEqual({ ram: 0, disk: 0 });
  });

  it('do not take away what an engine reads', async () => {
    const engine = new FakeEngine(await open({ ram: 16 * KIB, disk: 0 }));
    const copy = await engine.keep(10 * KIB);
    const { path } = await engine.open(String(copy?.name));
    expect(await engine.keep(10 * KIB)).toBeNull();
    expect(existsSync(String(path))).toBe(true);
    engine.closed(String(copy?.name));
    expect(await engine.keep(10 * KIB, { first: 99 })).not.toBeNull();
    expect(existsSync(String(path))).toBe(false);
  });
});

describe('a copy that is read', () => {
  it('twice at once can be given up when both are done, and not before', async () => {
    const engine = new FakeEngine(await open({ ram: 16 * KIB, disk: 0 }));
    const copy = await engine.keep(10 * KIB);
    const name = String(copy?.name);
    await Promise.all([engine.open(name), engine.open(name)]);
    engine.closed(name);
    expect(await engine.keep(10 * KIB)).toBeNull();
    engine.closed(name);
    expect(await engine.keep(10 * KIB, { first: 99 })).not.toBeNull();
  });

  it('twice at once by an engine that dies can be given up', async () => {
    const store = await open({ ram: 16 * KIB, disk: 0 });
    const engine = new FakeEngine(store);
    const copy = await engine.keep(10 * KIB);
    await Promise.all([engine.open(String(copy?.name)), engine.open(String(copy?.name))]);
    engine.die();
    expect(await new FakeEngine(store).keep(10 * KIB, { first: 99 })).not.toBeNull();
  });

  it('while it goes to disk is read there', async () => {
    const store = await open();
    const engine = new FakeEngine(store);
    const copies = [await engine.keep(30 * KIB), await engine.keep(30 * KIB, { first: 99 })];
    const moving = store.freeMemory(100 * KIB);
    await Promise.resolve();
    // The first is on its way now, the second is to follow.
    const answers = await Promise.all(copies.map((copy) => engine.open(String(copy?.name))));
    await moving;
    for (const { path } of answers) expect(existsSync(String(path)), String(path)).toBe(true);
    expect(answers[0]?.path).toContain(join(folder, 'disk'));
  });

  it('while it has to go and has no room on disk is a miss', async () => {
    const store = await open({ disk: 0 });
    const engine = new FakeEngine(store);
    const copy = await engine.keep(10 * KIB);
    const moving = store.freeMemory(100 * KIB);
    await Promise.resolve();
    expect((await engine.open(String(copy?.name))).path).toBeNull();
    await moving;
  });
});

describe('a file that can not be made', () => {
  it('takes no room', async () => {
    const store = await open({ disk: 0 });
    const engine = new FakeEngine(store);
    await mkdir(join(folder, 'ram'), { recursive: true });
    await writeFile(join(folder, 'ram', MODEL), 'a file where the folder is to be');
    expect((await engine.reserve(KIB)).path).toBeNull();
    expect(store.held()).toEqual({ ram: 0, disk: 0 });
  });
});

describe('an engine that connects', () => {
  it('is told at first of a copy that is being completed', async () => {
    const store = await open({ ram: 100 * KIB * KIB });
    const before = new FakeEngine(store);
    const { id, path } = await before.reserve(KIB);
    // Adding it up takes a while.
    await writeFile(String(path), Buffer.alloc(64 * KIB * KIB));
    before.saved(id);
    before.die();
    const next = new FakeEngine(store);
    await next.told;
    expect(next.known.size).toBe(1);
  });

  it('is told of copies that go to disk meanwhile', async () => {
    const store = await open();
    const before = new FakeEngine(store);
    for (let count = 0; count < 3; count++) await before.keep(20 * KIB, { first: 99 * count });
    const moving = store.freeMemory(100 * KIB);
    await Promise.resolve();
    const next = new FakeEngine(store);
    await next.told;
    await moving;
    expect([...next.known.values()].map(({ tier }) => tier)).toEqual(['disk', 'disk', 'disk']);
  });
});

describe('an engine that dies', () => {
  it('leaves neither the file that it wrote, nor a copy that nobody may give up', async () => {
    const store = await open({ ram: 16 * KIB, disk: 0 });
    const first = new FakeEngine(store);
    const copy = await first.keep(KIB);
    await first.open(String(copy?.name));
    await first.reserve(KIB);
    first.die();
    await eventually(async () => expect((await filesIn('ram')).filter((file) => file.endsWith('.part'))).toEqual([]));
    expect(await new FakeEngine(store).keep(11 * KIB, { first: 5 })).not.toBeNull();
  });
});

describe('a file that becomes larger than was reserved', () => {
  it('takes room from others, or is dropped', async () => {
    const store = await open({ ram: 24 * KIB, disk: 0 });
    const engine = new FakeEngine(store);
    const { id, path } = await engine.reserve(KIB);
    await writeFile(String(path), Buffer.alloc(30 * KIB));
    engine.saved(id);
    await eventually(async () => expect(await filesIn('ram')).toEqual([]));
    expect(store.held().ram).toBe(0);
  });
});

describe('traffic', () => {
  it('never has the files of a tier take more than its bound', { timeout: 60_000, tags: 'slow' }, async () => {
    const limits = { ram: 64 * KIB, disk: 96 * KIB };
    const store = await open(limits);
    const engines = ['a', 'b', 'c'].map((letter) => new FakeEngine(store, letter.repeat(32)));
    const next = makeRandom(1);
    const random = () => next() / 2 ** 32;
    let most = { ram: 0, disk: 0 };
    let watching = true;
    const watch = (async () => {
      while (watching) {
        most = {
          ram: Math.max(most.ram, await bytesOnDisk('ram')),
          disk: Math.max(most.disk, await bytesOnDisk('disk')),
        };
        const held = store.held();
        expect(held.ram).toBeLessThanOrEqual(limits.ram);
        expect(held.disk).toBeLessThanOrEqual(limits.disk);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const traffic = engines.map(async (engine) => {
      for (let turn = 0; turn < 60; turn++) {
        const bytes = Math.floor(random() ** 2 * 20 * KIB);
        const { id, path } = await engine.reserve(bytes);
        if (path !== null) {
          await writeFile(path, Buffer.alloc(bytes));
          if (random() < 0.1) engine.abandon(id);
          else engine.saved(id, { evaluateMs: random() * 1000 });
        }
        const known = [...engine.known.keys()];
        const name = known[Math.floor(random() * known.length)];
        if (name !== undefined && (await engine.open(name)).path !== null) engine.closed(name, random() < 0.95);
      }
    });
    await Promise.all(traffic);
    watching = false;
    await watch;
    for (const tier of ['ram', 'disk'] as const) {
      expect(most[tier]).toBeGreaterThan(limits[tier] / 2);
      expect(most[tier]).toBeLessThanOrEqual(limits[tier]);
    }
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ 0xff;
  return bytes;
}
