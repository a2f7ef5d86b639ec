import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, toLogFields } from '../../contract/log.ts';
import type { FromCopyStore, Tier, ToCopyStore } from '../../engine/node/copy-messages.ts';
import { isWhole, readRecord, recordBytes, seal } from './copy-file.ts';
import { bytesIn, type Copy, type Limits, makeRoom, mostUsefulFirst, toMoveDown } from './plan.ts';

export interface CopyStoreOptions {
  /** The folder of each tier. Nobody else writes there. */
  folders: Record<Tier, string>;
  /** The most bytes of each tier; 0 for a tier that is not to be used. */
  limits: Limits;
  /** Whether a copy can still be of use: those of models that are gone, and of other versions, are deleted at the start. */
  isCurrent: (identity: string) => boolean;
  log: Log;
}

/** One engine at the store. */
export interface CopyConnection {
  /** Resolves when the engine has been told of all copies that it may load, those included that are being completed. Never rejects. */
  told: Promise<void>;
  receive(message: ToCopyStore): void;
  /** The engine is gone: what it was writing is deleted. */
  close(): void;
}

/** Keeps copies of what slots hold, for engines to load again: in RAM, and what has no room there on disk. */
export interface CopyStore extends AsyncDisposable {
  /**
   * Connects an engine, and tells it of the copies that are of its `identity`: the hash of model file, engine and settings.
   *
   * @param model the model's id, for people
   */
  connect(identity: string, model: string, send: (message: FromCopyStore) => void): CopyConnection;
  /** The bytes that each tier holds now, files that are being written included. */
  held(): Record<Tier, number>;
  /** Takes copies out of RAM until so many bytes are freed there, or none are left. */
  freeMemory(bytes: number): Promise<void>;
}

const TIERS: Tier[] = ['ram', 'disk'];
/** How long a closing store takes to bring copies from RAM to disk, in ms. */
const CLOSING_MS = 2000;
const OWNER_ONLY = 0o600;
/** RAM is kept so empty that the next copy finds room there at once. */
const RAM_FILLED = 3 / 4;

/** Opens the store: takes over the copies of an earlier one in the same folders. */
export async function openCopyStore({ folders, limits, isCurrent, log }: CopyStoreOptions): Promise<CopyStore> {
  const copies = new Map<string, Copy>();
  const engines = new Set<{ identity: string; send: (message: FromCopyStore) => void }>();
  /** Files that are being deleted: their bytes are no copy's any more, but still taken. */
  const vanishing = new Set<Promise<void>>();
  const answering = new Set<Promise<unknown>>();
  /** Copies that have been written and are being added up and named. All engines are told of them then. */
  const completing = new Map<Copy, Promise<void>>();
  /** Copies on their way from RAM to disk, by their names. A reader waits for that: the file in RAM is about to be deleted. */
  const moves = new Map<string, Promise<void>>();
  let moving: Promise<void> = Promise.resolve();
  let closed = false;

  const fileOf = ({ identity, name, tier }: Pick<Copy, 'identity' | 'name' | 'tier'>, ending: 'copy' | 'part') =>
    join(folders[tier], identity, `${name}.${ending}`);
  const tell = (identity: string, message: FromCopyStore) => {
    for (const engine of engines) if (engine.identity === identity) engine.send(message);
  };

  const vanish = async (...files: string[]) => {
    const gone = Promise.all(files.map(remove)).then(() => {
      vanishing.delete(gone);
    });
    vanishing.add(gone);
    await gone;
  };

  const drop = async (copy: Copy) => {
    if (!copies.delete(copy.name)) return;
    tell(copy.identity, { kind: 'dropped', name: copy.name });
    await vanish(fileOf(copy, 'copy'), fileOf(copy, 'part'));
  };

  /** Takes room in a tier for a new copy. The room is taken at once, and free when this resolves. Null if there can be none. */
  const claim = async (tier: Tier, wanted: Omit<Copy, 'tier' | 'usedAt' | 'users'>): Promise<Copy | null> => {
    const given = makeRoom(copies.values(), tier, limits[tier], wanted.bytes, Date.now());
    if (!given) return null;
    const copy: Copy = { ...wanted, tier, usedAt: Date.now(), users: 1 };
    for (const each of given) void drop(each);
    copies.set(copy.name, copy);
    await Promise.all(vanishing);
    return copy;
  };

  /** In RAM as long as that gives up nothing there, else on disk: what is in RAM has to be brought to disk before it goes. */
  const reserve = async (identity: string, bytes: number): Promise<Copy | null> => {
    const wanted = { name: randomUUID(), identity, bytes, evaluateMs: 0 };
    const fitsRam = bytesIn(copies.values(), 'ram') + bytes <= limits.ram;
    const [first, second]: [Tier, Tier] = fitsRam ? ['ram', 'disk'] : ['disk', 'ram'];
    const copy = (await claim(first, wanted)) ?? (await claim(second, wanted));
    if (!copy) return null;
    try {
      await mkdir(join(folders[copy.tier], identity), { recursive: true, mode: 0o700 });
      // The engine writes over it, and leaves it the owner's alone.
      await (await open(fileOf(copy, 'part'), 'w', OWNER_ONLY)).close();
      return copy;
    } catch (error) {
      await drop(copy);
      throw error;
    }
  };

  /** Makes a file that an engine has written a copy. Throws if it has become too large. */
  const complete = async (copy: Copy, model: string, message: Extract<ToCopyStore, { kind: 'saved' }>) => {
    const { scope, tokens, evaluateMs } = message;
    const { identity } = copy;
    const bytes = await seal(fileOf(copy, 'part'), { facts: { identity, model, scope, evaluateMs }, tokens });
    if (bytes > copy.bytes) {
      const given = makeRoom(copies.values(), copy.tier, limits[copy.tier], bytes - copy.bytes, Date.now());
      if (!given) throw new Error('a copy is larger than expected, and there is no room for it');
      copy.bytes = bytes;
      await Promise.all(given.map(drop));
    }
    await rename(fileOf(copy, 'part'), fileOf(copy, 'copy'));
    Object.assign(copy, { bytes, evaluateMs, users: 0 });
    const { name, tier } = copy;
    tell(identity, { kind: 'added', copies: [{ name, tier, bytes, scope, tokens }] });
    for (const replaced of message.replaces) {
      const old = copies.get(replaced);
      if (old?.users === 0 && old.identity === identity) await drop(old);
    }
  };

  /** Completes a copy, or drops it where that fails. */
  const keep = async (copy: Copy, model: string, message: Extract<ToCopyStore, { kind: 'saved' }>) => {
    try {
      await complete(copy, model, message);
    } catch (error) {
      log.warn('a copy could not be kept', toLogFields(error));
      await drop(copy);
    } finally {
      completing.delete(copy);
    }
  };

  const moveDown = async (copy: Copy): Promise<void> => {
    if (copy.users > 0 || copies.get(copy.name) !== copy) return;
    const move = bringDown(copy).finally(() => moves.delete(copy.name));
    moves.set(copy.name, move);
    await move;
  };

  /** Brings a copy from RAM to disk, or drops it where it has no room there. */
  const bringDown = async (copy: Copy): Promise<void> => {
    copy.users += 1;
    const room = await claim('disk', { ...copy, name: randomUUID() });
    try {
      if (!room) return;
      await mkdir(join(folders.disk, copy.identity), { recursive: true, mode: 0o700 });
      await copyFile(fileOf(copy, 'copy'), fileOf(room, 'part'));
      await chmod(fileOf(room, 'part'), OWNER_ONLY);
      await utimes(fileOf(room, 'part'), new Date(), new Date(copy.usedAt));
      // The copy takes over its room: same name, other tier.
      await rename(fileOf(room, 'part'), fileOf({ ...copy, tier: 'disk' }, 'copy'));
      const before = fileOf(copy, 'copy');
      copies.delete(room.name);
      copy.tier = 'disk';
      await vanish(before);
      tell(copy.identity, { kind: 'moved', name: copy.name, tier: 'disk' });
    } catch (error) {
      log.warn('a copy could not be brought to disk', toLogFields(error));
      if (room) await drop(room);
    } finally {
      copy.users -= 1;
      if (copy.tier === 'ram') await drop(copy);
    }
  };

  const moveAll = (list: () => Copy[]) => {
    moving = moving.then(async () => {
      for (const copy of list()) await moveDown(copy);
    });
    return moving;
  };

  const takeOver = async (tier: Tier) => {
    for (const identity of await names(folders[tier])) {
      const folder = join(folders[tier], identity);
      for (const file of isCurrent(identity) ? await names(folder) : []) {
        const copy = await readCopy(join(folder, file), tier, identity);
        if (copy && !copies.has(copy.name)) copies.set(copy.name, copy);
        else await remove(join(folder, file));
      }
      if (!isCurrent(identity)) await rm(folder, { recursive: true, force: true });
    }
    const given = makeRoom(copies.values(), tier, limits[tier], 0, Date.now()) ?? [];
    await Promise.all(given.map(drop));
  };

  for (const tier of TIERS) await takeOver(tier);

  return {
    connect(identity, model, send) {
      const engine = { identity, send };
      const writing = new Map<number, Copy>();
      /** A copy is there as often as it is read at once. */
      const reading: Copy[] = [];
      let gone = false;
      engines.add(engine);

      const abandon = async (id: number) => {
        const copy = writing.get(id);
        writing.delete(id);
        if (copy) await drop(copy);
      };
      const release = (copy: Copy) => {
        const at = reading.indexOf(copy);
        if (at === -1) return;
        reading.splice(at, 1);
        copy.users -= 1;
      };
      const answers = {
        async reserve({ id, bytes, tokens }: Extract<ToCopyStore, { kind: 'reserve' }>) {
          const copy = closed ? null : await reserve(identity, bytes + recordBytes(tokens));
          if (copy) writing.set(id, copy);
          if (gone) await abandon(id);
          send({ kind: 'answer', id, path: copy && fileOf(copy, 'part') });
        },
        async saved(message: Extract<ToCopyStore, { kind: 'saved' }>) {
          const { id } = message;
          const copy = writing.get(id);
          // The engine has done its part: it may end now.
          writing.delete(id);
          if (copy) {
            const kept = keep(copy, model, message);
            completing.set(copy, kept);
            await kept;
          }
          send({ kind: 'answer', id, path: null });
          if (!closed) void moveAll(() => toMoveDown(copies.values(), limits.ram * RAM_FILLED, Date.now()));
        },
        abandoned: ({ id }: Extract<ToCopyStore, { kind: 'abandoned' }>) => abandon(id),
        async open({ id, name }: Extract<ToCopyStore, { kind: 'open' }>) {
          while (moves.has(name)) await moves.get(name);
          const copy = copies.get(name);
          if (copy?.identity !== identity) return send({ kind: 'answer', id, path: null });
          copy.users += 1;
          reading.push(copy);
          const path = fileOf(copy, 'copy');
          const whole = await isWhole(path);
          if (whole) {
            copy.usedAt = Date.now();
            // The next server is to know as well.
            await utimes(path, new Date(), new Date()).catch(() => {});
          } else {
            log.warn('a copy is damaged and is deleted', { model });
            release(copy);
            await drop(copy);
          }
          send({ kind: 'answer', id, path: whole ? path : null });
          if (gone) release(copy);
        },
        async closed({ name, ok }: Extract<ToCopyStore, { kind: 'closed' }>) {
          const copy = copies.get(name);
          if (!copy) return;
          release(copy);
          if (!ok) await drop(copy);
        },
      };

      const tellOf = async (copy: Copy) => {
        const completed = completing.get(copy);
        if (completed) return completed;
        const record = await readRecord(fileOf(copy, 'copy'));
        const { name, tier, bytes } = copy;
        if (!record || !copies.has(name)) return;
        const { scope } = record.facts;
        send({ kind: 'added', copies: [{ name, tier, bytes, scope, tokens: record.tokens }] });
      };
      const own = [...copies.values()].filter((copy) => copy.identity === identity);

      return {
        told: Promise.all(own.map(tellOf)).then(() => {}),
        receive(message) {
          const answer = answers[message.kind] as (message: ToCopyStore) => Promise<unknown> | undefined;
          const done = Promise.resolve(answer(message))
            .catch((error: unknown) => {
              log.error('the store of copies failed', toLogFields(error));
              if ('id' in message) send({ kind: 'answer', id: message.id, path: null });
            })
            .finally(() => answering.delete(done));
          answering.add(done);
        },
        close() {
          gone = true;
          engines.delete(engine);
          for (const copy of [...reading]) release(copy);
          for (const id of [...writing.keys()]) void abandon(id);
        },
      };
    },

    held: () => ({ ram: bytesIn(copies.values(), 'ram'), disk: bytesIn(copies.values(), 'disk') }),

    freeMemory: async (bytes) => {
      if (bytes > 0)
        await moveAll(() =>
          toMoveDown(copies.values(), Math.max(0, bytesIn(copies.values(), 'ram') - bytes), Date.now()),
        );
    },

    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all(answering);
      await moving;
      const until = performance.now() + CLOSING_MS;
      for (const copy of mostUsefulFirst(
        [...copies.values()].filter(({ tier }) => tier === 'ram'),
        Date.now(),
      )) {
        if (performance.now() > until) break;
        await moveDown(copy);
      }
      // A server that has ended holds no memory.
      await rm(folders.ram, { recursive: true, force: true });
    },
  };
}

/** Reads a file as a copy; null if it is none of this identity. */
async function readCopy(path: string, tier: Tier, identity: string): Promise<Copy | null> {
  const [, name] = /([^/\\]+)\.copy$/.exec(path) ?? [];
  const record = name === undefined ? null : await readRecord(path);
  if (name === undefined || record?.facts.identity !== identity) return null;
  const { size, mtimeMs } = await stat(path);
  return { name, identity, tier, bytes: size, usedAt: mtimeMs, evaluateMs: record.facts.evaluateMs, users: 0 };
}

async function names(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function remove(path: string): Promise<void> {
  // What can't be deleted now is foreign to the next server, which tries again.
  await rm(path, { force: true, recursive: true }).catch(() => {});
}
