import { toLogFields } from '../../contract/log.ts';
import type { FromCopyStore, ToCopyStore } from '../../engine/node/copy-messages.ts';
import { recordBytes } from './copy-file.ts';
import type { CopyMoves } from './moves.ts';
import type { Copy } from './plan.ts';
import type { StoreCore } from './store-core.ts';
import type { CopyWrites, SavedMessage } from './writes.ts';

/** The connection of one engine with the store. */
export interface CopyConnection {
  /**
   * Resolves when the engine has been told of all copies that it may load, including copies that are still being completed. Never
   * rejects.
   */
  told: Promise<void>;
  receive(message: ToCopyStore): void;
  /** Ends the connection when the engine is gone. Files that it has not finished are deleted. */
  close(): void;
}

/** What a connection needs of its store. */
export interface ConnectionOptions {
  core: StoreCore;
  writes: CopyWrites;
  moves: CopyMoves;
  /** The hash of model file, engine and settings. The engine learns of the copies with this identity only. */
  identity: string;
  /** The model's id, for people. */
  model: string;
  send: (message: FromCopyStore) => void;
  /** True if the store takes no new copies because it is closing. */
  isClosing: () => boolean;
  /** Called after a copy has been written. */
  onSaved: () => void;
  /** Is told of each answer under way. A closing store waits for them. */
  track: (answering: Promise<unknown>) => void;
}

/** Connects an engine, and begins to tell it of the copies of its identity. */
export function connectEngine(options: ConnectionOptions): CopyConnection {
  const { core, identity, send, track } = options;
  const engine = { identity, send };
  const session: Session = { writing: new Map(), reading: [], gone: false };
  core.engines.add(engine);

  return {
    told: tellOfAll(options),
    receive(message) {
      const answered = answer(options, session, message).catch((error: unknown) => {
        core.log.error('the store of copies failed', toLogFields(error));
        if ('id' in message) send({ kind: 'answer', id: message.id, path: null });
      });
      track(answered);
    },
    close() {
      session.gone = true;
      core.engines.delete(engine);
      for (const copy of [...session.reading]) release(options, session, copy);
      for (const id of [...session.writing.keys()]) void abandon(options, session, id);
    },
  };
}

/** What the engine does with copies now. */
interface Session {
  /** The copies whose files the engine writes, by the ids of its messages. */
  writing: Map<number, Copy>;
  /** The copies that the engine reads. A copy that it reads twice at once is in the list twice. */
  reading: Copy[];
  /** True once the engine is gone. */
  gone: boolean;
}

async function tellOfAll({ core, writes, identity, send }: ConnectionOptions): Promise<void> {
  const tellOf = async (copy: Copy) => {
    const completing = writes.completing(copy);
    if (completing) return completing;
    const record = await core.files.readRecord(copy);
    const { name, tier, bytes } = copy;
    // The copy may have been dropped while its record was read.
    if (!record || !core.table.get(name)) return;
    send({ kind: 'added', copies: [{ name, tier, bytes, scope: record.facts.scope, tokens: record.tokens }] });
  };
  await Promise.all(core.table.ofIdentity(identity).map(tellOf));
}

async function answer(options: ConnectionOptions, session: Session, message: ToCopyStore): Promise<void> {
  switch (message.kind) {
    case 'reserve':
      return reserve(options, session, message);
    case 'saved':
      return saved(options, session, message);
    case 'abandoned':
      return abandon(options, session, message.id);
    case 'open':
      return open(options, session, message);
    case 'closed':
      return closed(options, session, message);
    default:
      return message satisfies never;
  }
}

async function reserve(
  options: ConnectionOptions,
  session: Session,
  { id, bytes, tokens }: Extract<ToCopyStore, { kind: 'reserve' }>,
): Promise<void> {
  const { core, writes, identity, isClosing, send } = options;
  const copy = isClosing() ? null : await writes.reserve(identity, bytes + recordBytes(tokens));
  if (copy) session.writing.set(id, copy);
  if (session.gone) await abandon(options, session, id);
  send({ kind: 'answer', id, path: copy && core.files.partPath(copy) });
}

async function saved(
  { writes, model, send, onSaved }: ConnectionOptions,
  { writing }: Session,
  message: SavedMessage,
): Promise<void> {
  const { id } = message;
  const copy = writing.get(id);
  // The file is complete from here on, so the end of the engine must not delete it.
  writing.delete(id);
  if (copy) await writes.complete(copy, model, message);
  send({ kind: 'answer', id, path: null });
  onSaved();
}

async function abandon({ core }: ConnectionOptions, { writing }: Session, id: number): Promise<void> {
  const copy = writing.get(id);
  writing.delete(id);
  if (copy) await core.drop(copy);
}

async function open(
  options: ConnectionOptions,
  session: Session,
  { id, name }: Extract<ToCopyStore, { kind: 'open' }>,
): Promise<void> {
  const { core, moves, identity, model, send } = options;
  for (let moving = moves.moving(name); moving; moving = moves.moving(name)) await moving;
  const copy = core.table.use(name, identity);
  if (!copy) return send({ kind: 'answer', id, path: null });
  session.reading.push(copy);
  const path = core.files.path(copy);
  const whole = await core.files.isWhole(copy);
  if (whole) {
    copy.usedAt = Date.now();
    await core.files.touch(copy);
  } else {
    core.log.warn('a copy is damaged and is deleted', { model });
    release(options, session, copy);
    await core.drop(copy);
  }
  send({ kind: 'answer', id, path: whole ? path : null });
  if (session.gone) release(options, session, copy);
}

async function closed(
  options: ConnectionOptions,
  session: Session,
  { name, ok }: Extract<ToCopyStore, { kind: 'closed' }>,
): Promise<void> {
  const copy = options.core.table.get(name);
  if (!copy) return;
  release(options, session, copy);
  if (!ok) await options.core.drop(copy);
}

/** Ends one reading of a copy. Does nothing if the engine does not read it: a late message, or one that says so twice. */
function release({ core }: ConnectionOptions, { reading }: Session, copy: Copy): void {
  const at = reading.indexOf(copy);
  if (at === -1) return;
  reading.splice(at, 1);
  core.table.release(copy);
}
