import { createTurns } from '../../../utils/turns.ts';
import type { FromCopyStore, Tier, ToCopyStore, ToldCopy } from '../../node/copy-messages.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { Token } from '../llama/llama.ts';
import { type Copies, type FoundCopy, LEAST_TOKENS } from './copies.ts';
import { isAlone, type Prefix, prefixOf, sharedLength } from './prefix.ts';
import { createPrefixIndex } from './prefix-index.ts';

/** The store of copies, seen from an engine. */
export interface CopyLink {
  send(message: ToCopyStore): void;
  /** Sets who is told what the store says. */
  listen(receive: (message: FromCopyStore) => void): void;
}

export interface TieredCopiesOptions {
  decoder: Pick<Decoder, 'save' | 'load' | 'settled'>;
  link: CopyLink;
  /** The bytes that a token takes in a state, as far as the model's header tells. */
  bytesPerToken: number;
  /** What evaluating a token of a prompt takes now, in ms; null if that is not known yet. */
  promptTokenMs: () => number | null;
  /** True for a model that can't drop the end of what a sequence holds: a copy is then of use as a whole only. */
  wholeOnly: boolean;
}

/** Copies that go to a store beside the engine, so that they outlive it. */
export interface TieredCopies extends Copies {
  /**
   * Makes a copy as `keep` does, unless it takes longer than `mostMs` or `isStill` is false once the store has made room: the slot has
   * been taken meanwhile. Resolves to false if the copy is still to be made. Never rejects.
   */
  keepIdle(held: Prefix, sequence: number, mostMs: number, isStill: () => boolean): Promise<boolean>;
}

/** A copy is worth making if evaluating takes so many times longer: not every copy is asked for again. */
const WORTH = 4;
/** What a token is taken to cost until it is measured, in ms: little, so that a fast GPU does not copy in vain. */
const UNKNOWN_TOKEN_MS = 0.2;
/** What a state has besides its tokens, in bytes. */
const STATE_BYTES = 64 * 1024;
/** Bytes of a state beside the keys and values of a token: its place and its sequence. */
const CELL_BYTES = 32;
/** Bytes per ms until they are measured. */
const UNKNOWN_RATES = { save: 1_000_000, ram: 300_000, disk: 150_000 };
/** Smaller copies take as long as the waiting does, and tell of no rate. */
const TELLING_BYTES = 4 * 1024 * 1024;
/** The share of the newest measurement in an average. */
const NEWEST = 0.3;

interface KnownCopy extends Omit<ToldCopy, 'tokens'> {
  prefix: Prefix;
}

export function createTieredCopies(options: TieredCopiesOptions): TieredCopies {
  const { decoder, link, wholeOnly } = options;
  const known = new Map<string, KnownCopy>();
  const index = createPrefixIndex<KnownCopy>();
  const rates = { ...UNKNOWN_RATES };
  const waiting = new Map<number, (path: string | null) => void>();
  /** Copies that have been written, of which the store has not told yet. */
  const coming = new Set<Prefix>();
  // Whether a copy is wanted depends on those that were made before it.
  const inTurn = createTurns();
  let asked = 0;
  let stateBytes = STATE_BYTES;

  link.listen((message) => {
    switch (message.kind) {
      case 'answer':
        waiting.get(message.id)?.(message.path);
        waiting.delete(message.id);
        return;
      case 'added':
        for (const { tokens, ...copy } of message.copies) {
          const prefix = prefixOf(copy.scope, Array.from(tokens) as Token[]);
          const added = { ...copy, prefix };
          forget(known.get(copy.name));
          known.set(copy.name, added);
          index.hold(added, prefix.hashes);
        }
        return;
      case 'moved':
        Object.assign(known.get(message.name) ?? {}, { tier: message.tier });
        return;
      case 'dropped':
        forget(known.get(message.name));
        return;
      default:
        return message satisfies never;
    }
  });

  const forget = (copy: KnownCopy | undefined) => {
    if (!copy) return;
    known.delete(copy.name);
    index.release(copy);
  };
  const answerTo = (message: Extract<ToCopyStore, { kind: 'reserve' | 'saved' | 'open' }>): Promise<string | null> => {
    link.send(message);
    return new Promise((resolve) => waiting.set(message.id, resolve));
  };
  const measure = (rate: keyof typeof rates, bytes: number, ms: number) => {
    if (bytes >= TELLING_BYTES) rates[rate] += NEWEST * (bytes / ms - rates[rate]);
  };
  const estimateBytes = (tokens: number) => tokens * (options.bytesPerToken + CELL_BYTES) + stateBytes;
  const evaluateMs = (tokens: number) => tokens * (options.promptTokenMs() ?? UNKNOWN_TOKEN_MS);

  /** The first tokens of a prompt that a copy of `prefix` gives. */
  const usefulLength = (prefix: Prefix, wanted: Prefix) => {
    const length = sharedLength(wanted, prefix);
    return !wholeOnly || length === prefix.tokens.length ? length : 0;
  };
  /** Those that share most come first, of them the one that is loaded soonest. */
  const sharing = (wanted: Prefix) =>
    [...index.find(wanted.hashes).keys()]
      .map((copy) => ({ copy, length: usefulLength(copy.prefix, wanted), ms: loadMs(copy) }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => b.length - a.length || a.ms - b.ms);
  const loadMs = ({ bytes, tier }: { bytes: number; tier: Tier }) => bytes / rates[tier];

  const load = async (copy: KnownCopy, sequence: number): Promise<readonly Token[]> => {
    const { name, bytes, tier, prefix } = copy;
    if (!decoder.settled(sequence)) return [];
    const since = performance.now();
    const path = await answerTo({ kind: 'open', id: asked++, name });
    if (path === null) {
      forget(copy);
      return [];
    }
    const ok = await decoder.load(sequence, path, prefix.tokens.length);
    link.send({ kind: 'closed', name, ok });
    if (ok) measure(tier, bytes, performance.now() - since);
    else forget(copy);
    return ok ? prefix.tokens : [];
  };

  /** True if a copy of this is worth its while. Of what a slot holds, all but the first `kept` tokens would be lost. */
  const isWanted = (held: Prefix, kept = 0): boolean => {
    const { length } = held.tokens;
    const known = sharing(held)[0]?.length ?? 0;
    const lost = length - Math.max(kept, known, ...[...coming].map((prefix) => usefulLength(prefix, held)));
    return !isAlone(held.scope) && lost >= LEAST_TOKENS && WORTH * saveMs(length) <= evaluateMs(lost);
  };
  const saveMs = (tokens: number) => estimateBytes(tokens) / rates.save;

  /** Resolves to false if that failed; the store having no room is no failure. */
  const save = async (held: Prefix, sequence: number, isStill: () => boolean): Promise<boolean> => {
    if (!decoder.settled(sequence)) return false;
    const { length } = held.tokens;
    const bytes = estimateBytes(length);
    const id = asked++;
    const path = await answerTo({ kind: 'reserve', id, bytes, tokens: length });
    if (path === null) return true;
    // The tokens must be those of the moment from which on the sequence waits to be written.
    const written = isStill() ? await decoder.save(sequence, path).catch(() => null) : null;
    if (!written) {
      link.send({ kind: 'abandoned', id });
      return false;
    }
    measure('save', written.bytes, written.ms);
    stateBytes += Math.max(0, written.bytes - bytes);
    void announce(id, held);
    return true;
  };

  const announce = async (id: number, held: Prefix): Promise<void> => {
    const { scope, tokens } = held;
    // A model that can go back finds the beginning of a longer copy in that copy. Where an older one goes on for a few tokens more, as
    // the end of a reply that is tokenized otherwise in the next prompt, these are as quickly evaluated.
    const isIn = ({ copy, length }: ReturnType<typeof sharing>[number]) =>
      copy.prefix.tokens.length - length < LEAST_TOKENS;
    const replaces = wholeOnly ? [] : sharing(held).filter(isIn);
    coming.add(held);
    await answerTo({
      kind: 'saved',
      id,
      scope,
      tokens: Uint32Array.from(tokens),
      evaluateMs: evaluateMs(tokens.length),
      replaces: replaces.map(({ copy }) => copy.name),
    });
    coming.delete(held);
  };

  return {
    find(wanted): FoundCopy | null {
      const [best] = sharing(wanted);
      if (!best) return null;
      const { copy, length, ms } = best;
      return { tier: copy.tier, length, ms, load: (sequence) => load(copy, sequence) };
    },
    wants: (held) => isWanted(held),
    keep: (held, sequence, kept, signal) =>
      inTurn(async () => {
        if (isWanted(held, kept)) await save(held, sequence, () => !signal?.aborted);
      }),
    keepIdle: (held, sequence, mostMs, isStill) =>
      inTurn(async () => {
        if (!isWanted(held)) return true;
        return saveMs(held.tokens.length) <= mostMs && (await save(held, sequence, isStill));
      }),
  };
}
