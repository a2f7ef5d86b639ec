import { byteLevelBytes } from '../../byte-alphabet.ts';
import type { LlamaModel, Token } from './llama.ts';

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
  return model.fileInfo.metadata.tokenizer.ggml.model === 'gpt2' ? byteLevelText(model) : nativeText(model);
}

function nativeText(model: LlamaModel): TokenText {
  const { tokens: entries } = model.fileInfo.metadata.tokenizer.ggml;
  const nameOf = (token: Token) => model.detokenize([token], true);
  return {
    textOf(tokens, before, shown) {
      const special = tokens.filter((token) => model.isSpecialToken(token));
      const showsAll = special.every(shown);
      if (showsAll || !special.some(shown)) return model.detokenize(tokens, showsAll, before);
      return tokens.map((token) => (shown(token) ? nameOf(token) : model.detokenize([token]))).join('');
    },
    bytesOf(token) {
      // For a single token, llama.cpp removes a space at its beginning, and returns nothing for a part of a character.
      const { normal, byte } = model.getTokenAttributes(token);
      const entry = String(entries[token] ?? '');
      if (byte) return Uint8Array.of(Number.parseInt(entry.slice(3, 5), 16));
      return Buffer.from(normal ? entry.replaceAll('▁', ' ') : nameOf(token));
    },
  };
}

function byteLevelText(model: LlamaModel): TokenText {
  const { tokens: entries } = model.fileInfo.metadata.tokenizer.ggml;
  const known = new Map<Token, { bytes: Uint8Array; special: boolean }>();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  const spell = (token: Token): Uint8Array => {
    const entry = String(entries[token] ?? '');
    // Entries that were added to a vocabulary are plain text.
    const bytes = model.getTokenAttributes(token).normal ? byteLevelBytes(entry) : undefined;
    return bytes ?? Buffer.from(entry);
  };
  const read = (token: Token) => {
    const found = known.get(token);
    if (found) return found;
    const entry = { bytes: spell(token), special: model.isSpecialToken(token) };
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
