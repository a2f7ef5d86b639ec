import { byteLevelBytes } from '../../../byte-alphabet.ts';
import { TOKEN_ATTRIBUTE } from '../library/structs.ts';
import type { LlamaModel } from '../model.ts';
import type { Token } from './token.ts';
import type { LlamaTokenizer } from './tokenizer.ts';

/** Turns a model's tokens into text. */
export interface TokenText {
  /**
   * Returns the text of tokens. `before` has the few tokens before them. Special tokens are left out, except those for
   * which `shown` is true, which appear by their names. An incomplete character at the end becomes one U+FFFD.
   */
  textOf(tokens: Token[], before: Token[], shown: (token: Token) => boolean): string;
  /** Returns the UTF-8 bytes of one token. They may be a part of a character. For a special token they are its name. */
  bytesOf(token: Token): Uint8Array;
}

/**
 * Makes the function that turns tokens into text. Byte-level vocabularies are decoded here, because llama.cpp's own
 * detokenizer removes the space before punctuation for many of them ("Bonjour !"). For all other vocabularies,
 * llama.cpp decides by the tokens before a word if the word begins with a space.
 */
export function createTokenText(model: LlamaModel): TokenText {
  return isByteLevel(model) ? byteLevelText(model.tokenizer) : nativeText(model.tokenizer);
}

/** True for a vocabulary whose entries spell bytes. */
export function isByteLevel(model: Pick<LlamaModel, 'metadata'>): boolean {
  return model.metadata('tokenizer.ggml.model') === 'gpt2';
}

function nativeText({ is, isSpecial, entryOf, detokenize }: LlamaTokenizer): TokenText {
  const nameOf = (token: Token) => detokenize([token], true);
  return {
    textOf(tokens, before, shown) {
      const special = tokens.filter(isSpecial);
      const showsAll = special.every(shown);
      if (showsAll || !special.some(shown)) return detokenize(tokens, showsAll, before);
      return tokens.map((token) => (shown(token) ? nameOf(token) : detokenize([token], false))).join('');
    },
    bytesOf(token) {
      // For a single token, llama.cpp removes a space at its beginning, and returns nothing for a part of a character.
      const entry = entryOf(token);
      if (is(token, TOKEN_ATTRIBUTE.byte)) return Uint8Array.of(Number.parseInt(entry.slice(3, 5), 16));
      return Buffer.from(is(token, TOKEN_ATTRIBUTE.normal) ? entry.replaceAll('▁', ' ') : nameOf(token));
    },
  };
}

function byteLevelText({ is, isSpecial, entryOf }: LlamaTokenizer): TokenText {
  const known = new Map<Token, { bytes: Uint8Array; special: boolean }>();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  const spell = (token: Token): Uint8Array => {
    const entry = entryOf(token);
    // Entries that were added to a vocabulary are plain text.
    const bytes = is(token, TOKEN_ATTRIBUTE.normal) ? byteLevelBytes(entry) : undefined;
    return bytes ?? Buffer.from(entry);
  };
  const read = (token: Token) => {
    const found = known.get(token);
    if (found) return found;
    const entry = { bytes: spell(token), special: isSpecial(token) };
    known.set(token, entry);
    return entry;
  };
  return {
    textOf: (tokens, _, shown) => {
      const said = tokens.filter((token) => shown(token) || !read(token).special);
      return decoder.decode(Buffer.concat(said.map((token) => read(token).bytes)));
    },
    bytesOf: (token) => read(token).bytes,
  };
}
