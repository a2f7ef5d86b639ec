import type { FromCopyStore, ToldCopy } from '../../node/copy-messages.ts';
import { LEAST_TOKENS } from './copies.ts';
import { createPrefix, type Prefix, sharedLength } from './prefix.ts';
import { createPrefixIndex } from './prefix-index.ts';

/** A copy that the store has announced. */
export interface KnownCopy extends Omit<ToldCopy, 'tokens'> {
  prefix: Prefix;
}

/** A copy that shares the beginning of a prompt. */
export interface SharingCopy {
  copy: KnownCopy;
  /** The number of first tokens of the prompt that the copy gives. */
  length: number;
  /** The time to load it, in ms. */
  ms: number;
}

/** The copies in the store, as far as it has announced them. */
export interface CopyCatalogue {
  /** Updates the catalogue by a message of the store. */
  update(message: Exclude<FromCopyStore, { kind: 'answer' }>): void;
  forget(copy: KnownCopy): void;
  /**
   * Returns the copies that share the beginning of a prompt: the longest first, and of equally long ones the quickest
   * to load.
   */
  sharing(wanted: Prefix, loadMs: (copy: KnownCopy) => number): SharingCopy[];
  /** Returns the names of the copies that a copy of `held` makes superfluous. */
  replacedBy(held: Prefix): string[];
}

/**
 * Returns the number of first tokens of a prompt that a copy of `prefix` gives.
 *
 * @param wholeOnly true if a copy is only of use with all its tokens
 */
export function usefulLength(prefix: Prefix, wanted: Prefix, wholeOnly: boolean): number {
  const length = sharedLength(wanted, prefix);
  return !wholeOnly || length === prefix.tokens.length ? length : 0;
}

/**
 * @param wholeOnly true for a model that cannot drop its latest tokens: a copy is then only of use with all its tokens
 */
export function createCopyCatalogue(wholeOnly: boolean): CopyCatalogue {
  const known = new Map<string, KnownCopy>();
  const index = createPrefixIndex<KnownCopy>();

  const add = ({ tokens, ...copy }: ToldCopy) => {
    const prefix = createPrefix(copy.scope, Array.from(tokens));
    const added = { ...copy, prefix };
    forget(known.get(copy.name));
    known.set(copy.name, added);
    index.hold(added, prefix.hashes);
  };
  const forget = (copy: KnownCopy | undefined) => {
    if (!copy) return;
    known.delete(copy.name);
    index.release(copy);
  };
  const candidates = (wanted: Prefix) =>
    [...index.find(wanted.hashes).keys()]
      .map((copy) => ({ copy, length: usefulLength(copy.prefix, wanted, wholeOnly) }))
      .filter(({ length }) => length > 0);

  return {
    forget,
    update(message) {
      switch (message.kind) {
        case 'added':
          message.copies.forEach(add);
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
    },
    sharing: (wanted, loadMs) =>
      candidates(wanted)
        .map(({ copy, length }) => ({ copy, length, ms: loadMs(copy) }))
        .sort((a, b) => b.length - a.length || a.ms - b.ms),
    replacedBy(held) {
      if (wholeOnly) return [];
      // A model that can drop its latest tokens uses the beginning of a longer copy. An older copy may have a few
      // tokens more, such as the end of a reply that the next prompt tokenizes differently: evaluating these is quick.
      return candidates(held)
        .filter(({ copy, length }) => copy.prefix.tokens.length - length < LEAST_TOKENS)
        .map(({ copy }) => copy.name);
    },
  };
}
