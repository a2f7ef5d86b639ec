import { createTurns } from '../../../utils/turns.ts';
import type { FromCopyStore, ToCopyStore } from '../../node/copy-messages.ts';
import type { Decoder } from '../llama/decoder.ts';
import { extentOf } from '../llama/media/token.ts';
import type { Token } from '../llama/tokens/token.ts';
import type { Copies, FoundCopy } from './copies.ts';
import { type CopyCatalogue, createCopyCatalogue, type KnownCopy, usefulLength } from './copy-catalogue.ts';
import { afterLoad, afterSave, estimateBytes, isWorthSaving, UNKNOWN_RATES } from './copy-rates.ts';
import { isAlone, type Prefix } from './prefix.ts';

/** An engine's connection to the store of copies. */
export interface CopyLink {
  send(message: ToCopyStore): void;
  /** Sets the function that receives the messages of the store. */
  listen(receive: (message: FromCopyStore) => void): void;
}

/** The parts of an engine that its copies need. */
export interface TieredCopiesOptions {
  decoder: Pick<Decoder, 'save' | 'load' | 'settled'>;
  link: CopyLink;
  /** The bytes of the keys and values of one token, by the model's header. */
  bytesPerToken: number;
  /** Returns how long evaluating one prompt token takes now, in ms; null before that was measured. */
  promptTokenMs: () => number | null;
  /** True for a model that cannot drop its latest tokens: a copy is then only of use with all its tokens. */
  wholeOnly: boolean;
}

/** Copies in a store outside the engine's process, so that they outlive the engine. */
export interface TieredCopies extends Copies {
  /**
   * Copies an idle slot as `keep` does, unless that takes longer than `mostMs`. Makes no copy if `isStill` returns
   * false after the store has made room: the slot was taken meanwhile. Resolves to false if the caller should try again
   * later. Never rejects.
   */
  keepIdle(held: Prefix, sequence: number, mostMs: number, isStill: () => boolean): Promise<boolean>;
}

/**
 * The time to evaluate a prompt token until it is measured, in ms. It is short, so that a fast GPU makes no useless
 * copies.
 */
const UNKNOWN_TOKEN_MS = 0.2;

/** The messages that the store answers. */
type Question = Extract<ToCopyStore, { kind: 'reserve' | 'saved' | 'open' }>;

/** Makes the copies of one engine. They lie in the store at the other end of the link. */
export function createTieredCopies(options: TieredCopiesOptions): TieredCopies {
  const { decoder, link, bytesPerToken, wholeOnly } = options;
  const catalogue = createCopyCatalogue(wholeOnly);
  const ask = createQuestions(link, catalogue);
  /** Copies that are written but that the store has not announced yet. */
  const coming = new Set<Prefix>();
  // One after the other: a copy may make the next one superfluous.
  const inTurn = createTurns();
  let nextId = 0;
  let rates = UNKNOWN_RATES;

  const tokenMs = () => options.promptTokenMs() ?? UNKNOWN_TOKEN_MS;
  const saveMs = (tokens: number) => estimateBytes(rates, tokens, bytesPerToken) / rates.save;
  const sharing = (wanted: Prefix) => catalogue.sharing(wanted, ({ bytes, tier }) => bytes / rates.load[tier]);

  const load = async (copy: KnownCopy, sequence: number): Promise<readonly Token[]> => {
    const { name, bytes, tier, prefix } = copy;
    if (!decoder.settled(sequence)) return [];
    const since = performance.now();
    const path = await ask({ kind: 'open', id: nextId++, name });
    if (path === null) {
      catalogue.forget(copy);
      return [];
    }
    const ok = await decoder.load(sequence, path, extentOf(prefix.tokens));
    link.send({ kind: 'closed', name, ok });
    if (ok) rates = afterLoad(rates, tier, bytes, performance.now() - since);
    else catalogue.forget(copy);
    return ok ? prefix.tokens : [];
  };

  /** True if a copy is worth its time when a slot loses all but the first `kept` tokens of what it holds. */
  const isWanted = (held: Prefix, kept = 0): boolean => {
    const { length } = held.tokens;
    const copied = [...coming].map((prefix) => usefulLength(prefix, held, wholeOnly));
    const lost = length - Math.max(kept, sharing(held)[0]?.length ?? 0, ...copied);
    return !isAlone(held.scope) && isWorthSaving(lost, saveMs(length), tokenMs());
  };

  /**
   * Resolves to false if writing failed or `isStill` was false. Resolves to true if the store has no room: a retry
   * would not help.
   */
  const save = async (held: Prefix, sequence: number, isStill: () => boolean): Promise<boolean> => {
    if (!decoder.settled(sequence)) return false;
    const { length } = held.tokens;
    const bytes = estimateBytes(rates, length, bytesPerToken);
    const id = nextId++;
    const path = await ask({ kind: 'reserve', id, bytes, tokens: length });
    if (path === null) return true;
    // `isStill` is asked right before the sequence is queued to be written: its tokens are then still those of `held`.
    const written = isStill() ? await decoder.save(sequence, path).catch(() => null) : null;
    if (!written) {
      link.send({ kind: 'abandoned', id });
      return false;
    }
    rates = afterSave(rates, written.bytes, written.ms, bytes);
    void announce(id, held);
    return true;
  };

  const announce = async (id: number, held: Prefix): Promise<void> => {
    const { scope, tokens } = held;
    const replaces = catalogue.replacedBy(held);
    const evaluateMs = tokens.length * tokenMs();
    coming.add(held);
    await ask({ kind: 'saved', id, scope, tokens: Uint32Array.from(tokens), evaluateMs, replaces });
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

/**
 * Returns a function that asks the store a question and resolves to its answer. All other messages update the
 * catalogue.
 */
function createQuestions(link: CopyLink, catalogue: CopyCatalogue): (question: Question) => Promise<string | null> {
  const waiting = new Map<number, (path: string | null) => void>();
  link.listen((message) => {
    if (message.kind !== 'answer') return catalogue.update(message);
    waiting.get(message.id)?.(message.path);
    waiting.delete(message.id);
  });
  return (question) => {
    link.send(question);
    return new Promise((resolve) => waiting.set(question.id, resolve));
  };
}
