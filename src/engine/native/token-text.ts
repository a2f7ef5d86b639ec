import type { LlamaModel, Token } from './llama.ts';

/** How a model's tokens are written. */
export interface TokenText {
  /**
   * The text of tokens, given the few before them. Special tokens are silent but for those in `shown`, which are their names.
   * Half a character at the end is one U+FFFD.
   */
  textOf(tokens: Token[], before: Token[], shown: (token: Token) => boolean): string;
  /** The UTF-8 of one token, which may be a part of a character. A special token is its name. */
  bytesOf(token: Token): Uint8Array;
}

/**
 * Byte-level vocabularies are read here: llama.cpp's own detokenizer takes a space before punctuation for a mistake in
 * many of them ("Bonjour !"). The others write a word's leading space by the tokens before it, as llama.cpp does.
 */
export function createTokenText(model: LlamaModel): TokenText {
  return model.fileInfo.metadata.tokenizer.ggml.model === 'gpt2' ? byteLevelText(model) : nativeText(model);
}

function nativeText(model: LlamaModel): TokenText {
  const nameOf = (token: Token) => model.detokenize([token], true);
  return {
    textOf(tokens, before, shown) {
      const special = tokens.filter((token) => model.isSpecialToken(token));
      const showsAll = special.every(shown);
      if (showsAll || !special.some(shown)) return model.detokenize(tokens, showsAll, before);
      return tokens.map((token) => (shown(token) ? nameOf(token) : model.detokenize([token]))).join('');
    },
    bytesOf: (token) => Buffer.from(nameOf(token)),
  };
}

function byteLevelText(model: LlamaModel): TokenText {
  const { tokens: entries } = model.fileInfo.metadata.tokenizer.ggml;
  const known = new Map<Token, { bytes: Uint8Array; special: boolean }>();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  const spell = (token: Token): Uint8Array => {
    const entry = String(entries[token] ?? '');
    // What was added to a vocabulary stands there as it is.
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

/** GPT-2's alphabet for bytes: printable ones stand for themselves, the others for the letters from U+0100 on. */
const BYTE_OF_LETTER: ReadonlyMap<string, number> = (() => {
  const printable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173 && byte < 256);
  let next = 256;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(printable(byte) ? byte : next++), byte] as const),
  );
})();

/** The bytes of a byte-level token; undefined for one that is not spelled in that alphabet. */
function byteLevelBytes(entry: string): Uint8Array | undefined {
  const bytes = [...entry].map((letter) => BYTE_OF_LETTER.get(letter));
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined;
}
