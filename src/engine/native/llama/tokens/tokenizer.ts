import type { Bindings } from '../library/bindings.ts';
import type { Pointer } from '../library/pointer.ts';
import { TOKEN_ATTRIBUTE } from '../library/structs.ts';
import type { Token } from './token.ts';

/** A model's vocabulary, as llama.cpp reads it. */
export interface LlamaTokenizer {
  /** The number of tokens. */
  readonly size: number;
  /** The tokens that mark places of a text; null for a token that the vocabulary lacks. */
  readonly marks: Record<
    'bos' | 'eos' | 'sep' | 'fimPrefix' | 'fimSuffix' | 'fimMiddle' | 'fimRepository' | 'fimFile',
    Token | null
  >;
  /** True if the model was trained on texts that begin with `bos`, end with `eos`, or have `sep` between two parts. */
  readonly adds: Record<'bos' | 'eos' | 'sep', boolean>;
  /** The tokens with which llama.cpp begins and ends a whole text for this model. */
  readonly frame: { start: Token[]; end: Token[] };
  /** Returns the entry of a token in the vocabulary, in the spelling of its kind; '' for an unknown token. */
  entryOf(token: Token): string;
  /**
   * Returns the text of one token in UTF-8, as a grammar reads it: with its leading space, and with the name of a
   * special token. The bytes change with the next call.
   */
  pieceOf(token: Token): Buffer;
  /** Returns true if a token has one of these attributes: a sum of `TOKEN_ATTRIBUTE`. */
  is(token: Token, attributes: number): boolean;
  /** Returns true for a token that ends a turn of the model. */
  isEndOfTurn(token: Token): boolean;
  /** Returns true for a control token, and for a token whose text is only a name. */
  isSpecial(token: Token): boolean;
  /**
   * Returns the tokens of a text at the beginning of a prompt, without the tokens that a model adds there.
   *
   * @param named true if names of special tokens become these tokens
   */
  tokenize(text: string, named: boolean): Token[];
  /** Returns the tokens of a text that follows other text, so that no space is put before it. */
  tokenizeAmid(text: string, named: boolean): Token[];
  /**
   * Returns the text of tokens.
   *
   * @param named true if special tokens appear by their names; else they are left out
   * @param before the tokens before them, which decide if a word begins with a space
   */
  detokenize(tokens: readonly Token[], named: boolean, before?: readonly Token[]): string;
}

/** The most tokens before a text that its detokenizer looks at. */
const LOOKED_AT = 3;

/** @param vocab llama.cpp's vocabulary of a model, which must not be freed */
export function createLlamaTokenizer(llama: Bindings, vocab: Pointer): LlamaTokenizer {
  const markOf = (token: number) => (token < 0 ? null : token);
  const marks = {
    bos: markOf(llama.llama_vocab_bos(vocab)),
    eos: markOf(llama.llama_vocab_eos(vocab)),
    sep: markOf(llama.llama_vocab_sep(vocab)),
    fimPrefix: markOf(llama.llama_vocab_fim_pre(vocab)),
    fimSuffix: markOf(llama.llama_vocab_fim_suf(vocab)),
    fimMiddle: markOf(llama.llama_vocab_fim_mid(vocab)),
    fimRepository: markOf(llama.llama_vocab_fim_rep(vocab)),
    fimFile: markOf(llama.llama_vocab_fim_sep(vocab)),
  };
  const size = llama.llama_vocab_n_tokens(vocab);
  const isKnown = (token: Token) => Number.isInteger(token) && token >= 0 && token < size;
  const is = (token: Token, attributes: number) =>
    isKnown(token) && (llama.llama_vocab_get_attr(vocab, token) & attributes) !== 0;
  const isEndOfTurn = (token: Token) => isKnown(token) && llama.llama_vocab_is_eog(vocab, token);

  /** Long enough for nearly all tokens. */
  let piece = Buffer.alloc(256);
  const pieceOf = (token: Token): Buffer => {
    const write = () => llama.llama_token_to_piece(vocab, token, piece, piece.length, 0, true);
    let length = write();
    if (length < 0) {
      piece = Buffer.alloc(-length);
      length = write();
    }
    return piece.subarray(0, length);
  };

  const tokenize = (text: string, named: boolean, framed = false): Token[] => {
    const bytes = Buffer.from(text);
    if (bytes.length === 0) return [];
    const write = (tokens: Int32Array) =>
      llama.llama_tokenize(vocab, bytes, bytes.length, tokens, tokens.length, framed, named);
    // No text has more tokens than bytes, but for a token or two that a tokenizer puts before the text.
    const tokens = new Int32Array(bytes.length + 16);
    const count = write(tokens);
    if (count >= 0) return Array.from(tokens.subarray(0, count));
    const more = new Int32Array(-count);
    return Array.from(more.subarray(0, write(more)));
  };

  const spell = (tokens: readonly Token[], named: boolean): string => {
    if (tokens.length === 0) return '';
    const list = padded(tokens);
    const write = (text: Uint8Array) =>
      llama.llama_detokenize(vocab, list, tokens.length, text, text.length, false, named);
    const text = new Uint8Array(64 + 16 * tokens.length);
    const bytes = write(text);
    if (bytes >= 0) return Buffer.from(text.subarray(0, bytes)).toString();
    const longer = new Uint8Array(-bytes);
    return Buffer.from(longer.subarray(0, write(longer))).toString();
  };

  const detokenize: LlamaTokenizer['detokenize'] = (tokens, named, before = []) => {
    const known = before.slice(-LOOKED_AT);
    const start = tokens.length === 0 ? '' : spell(known, named);
    if (start === '') return spell(tokens, named);
    const whole = spell([...known, ...tokens], named);
    return whole.startsWith(start) ? whole.slice(start.length) : spell(tokens, named);
  };

  /** Returns the tokens of a text after other text that is a token or two by itself; null if these are not found. */
  const tokenizeAfter = (start: string, text: string, named: boolean): Token[] | null => {
    const own = tokenize(start, named);
    const all = tokenize(start + text, named);
    return own.length > 0 && own.every((token, index) => all[index] === token) ? all.slice(own.length) : null;
  };
  const starts = [marks.bos, marks.eos].filter((token) => token !== null).map((token) => spell([token], true));

  return {
    size,
    marks,
    adds: {
      bos: marks.bos !== null && llama.llama_vocab_get_add_bos(vocab),
      eos: marks.eos !== null && llama.llama_vocab_get_add_eos(vocab),
      sep: marks.sep !== null && llama.llama_vocab_get_add_sep(vocab),
    },
    frame: findFrame(tokenize(SAMPLE, false), tokenize(SAMPLE, false, true)),
    entryOf: (token) => (isKnown(token) ? llama.llama_vocab_get_text(vocab, token) : ''),
    pieceOf,
    is,
    isEndOfTurn,
    isSpecial: (token) =>
      is(token, TOKEN_ATTRIBUTE.control) ||
      isEndOfTurn(token) ||
      (isKnown(token) && spell([token], false) === '' && spell([token], true) !== ''),
    tokenize: (text, named) => tokenize(text, named),
    tokenizeAmid(text, named) {
      const places = [...(named ? starts : []), '\n'];
      for (const start of places) {
        const tokens = start === '' ? null : tokenizeAfter(start, text, named);
        if (tokens && (!named || spacesBefore(detokenize(tokens, true)) === spacesBefore(text))) return tokens;
      }
      return tokenize(text, named);
    },
    detokenize,
  };
}

const SAMPLE = 'a';

/** Returns what stands before and after the tokens of a text in the same text with a beginning and an end. */
function findFrame(plain: Token[], framed: Token[]): LlamaTokenizer['frame'] {
  const [first] = plain;
  const from = first === undefined ? framed.length : framed.lastIndexOf(first);
  return { start: framed.slice(0, from), end: framed.slice(from + plain.length) };
}

function spacesBefore(text: string): number {
  return text.length - text.replace(/^ +/, '').length;
}

/** C reads arrays where they are; a short typed array may be moved by the garbage collector. */
function padded(tokens: readonly Token[]): Int32Array {
  const list = new Int32Array(Math.max(16, tokens.length));
  list.set(tokens);
  return list;
}

/** Returns the entries of all tokens, in their order. */
export function entriesOf({ size, entryOf }: Pick<LlamaTokenizer, 'size' | 'entryOf'>): string[] {
  return Array.from({ length: size }, (_, token) => entryOf(token));
}
