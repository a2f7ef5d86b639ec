import { unsupportedParameter } from '../../contract/errors.ts';
import type { GgufVocabulary } from '../../gguf/vocabulary.ts';
import { attributesOf, CONTROL, stripsOf, UNKNOWN, USER_DEFINED } from './attributes.ts';
import { createBytePairs, type Encode } from './byte-pairs.ts';
import { type PreTokenizer, preTokenizerOf } from './pre-tokenizers.ts';
import { createSentencePieces } from './sentence-pieces.ts';
import { createSpecialSplitter } from './special-tokens.ts';
import { bytesOfToken, type TokenSpelling, textOfTokens } from './token-text.ts';
import { createUnigrams } from './unigrams.ts';
import { createWordPieces } from './word-pieces.ts';

/**
 * A model's tokenizer in JavaScript, for engines that do not return their tokens. It gives llama.cpp's tokens, which
 * `tokenizer.test.ts` checks. They are not always the tokens of the model's makers.
 *
 * No library gives llama.cpp's tokens. `@huggingface/tokenizers` 0.2.0 was read and measured: of the four kinds of
 * vocabularies, it has the same tokens only for byte pairs. It has no vocabularies of scores, it normalizes words and
 * probabilities differently, and of two overlapping special tokens it takes the first, not the longest. Its merges of
 * Llama 3's vocabulary take 81 MB besides the strings, and those of `byte-pairs.ts` 37 MB with the strings. It takes 2
 * to 5 times as long for one word of 32,768 letters.
 */
export interface Tokenizer {
  /** The number of tokens in the vocabulary. */
  size: number;
  /** The beginning-of-sequence token, with which a prompt begins; null if the model wants none. */
  bos: number | null;
  /**
   * Returns the tokens of a text. With `special`, a special token that the text spells becomes that token. With
   * `goesOn`, the text follows ordinary text, so no space is added before it.
   */
  encode(text: string, special: boolean, goesOn?: boolean): number[];
  /**
   * Returns the text of tokens, with the names of special tokens. Some kinds of vocabularies remove spaces before
   * punctuation, unless `clean` is false.
   */
  decode(tokens: number[], clean?: boolean): string;
  /** Returns the UTF-8 bytes of one token. They may be a part of a character. For a special token they are its name. */
  bytesOf(token: number): Uint8Array;
  isSpecial(token: number): boolean;
}

/** The differences between the kinds of vocabularies. */
interface Kind {
  encode: Encode;
  /** llama.cpp's defaults for this kind. The header may override them. */
  bos: number | null;
  addBos: boolean;
  addsSpace: boolean;
  cleans: boolean;
  byteLevel: boolean;
}

/** Makes the tokenizer of a vocabulary. Throws a 400 `ApiError` with the name of an unknown kind of vocabulary. */
export function createTokenizer(vocabulary: GgufVocabulary): Tokenizer {
  const { fields } = vocabulary;
  const tokens = vocabulary.tokens.map((text, id) => (text === '' ? `[EMPTY_${id}]` : text));
  const ids = new Map(tokens.map((text, id) => [text, id]));
  const attributes = attributesOf(vocabulary, ids);
  const kind = kindOf(vocabulary, ids, attributes);
  const is = (token: number, bits: number) => ((attributes[token] ?? 0) & bits) !== 0;

  const addsSpace = fields.boolean('tokenizer.ggml.add_space_prefix') ?? kind.addsSpace;
  const splitterOf = (bits: number, without: number) =>
    createSpecialSplitter(
      tokens.flatMap((text, id) => (is(id, bits) && !is(id, without) ? [{ text, id }] : [])),
      stripsOf(vocabulary),
    );
  const splitSpecial = splitterOf(CONTROL | USER_DEFINED | UNKNOWN, 0);
  const splitOrdinary = splitterOf(USER_DEFINED, CONTROL | UNKNOWN);
  const writing: TokenSpelling = {
    tokens,
    attributes,
    byteLevel: kind.byteLevel,
    dropsFirstSpace: addsSpace,
    cleans: kind.cleans,
  };
  // Only vocabularies of scores get the space here. Vocabularies of probabilities add it when they normalize the text.
  const putsSpace = addsSpace && vocabulary.model === 'llama';
  return {
    size: tokens.length,
    bos: bosOf(vocabulary, kind),
    encode(text, special, goesOn = false) {
      let inText = goesOn;
      return (special ? splitSpecial : splitOrdinary)(text).flatMap((part) => {
        const begins = !inText;
        inText = typeof part === 'string';
        if (typeof part === 'number') return [part];
        return kind.encode(putsSpace && begins ? ` ${part}` : part);
      });
    },
    decode: (tokens, clean = true) => textOfTokens(tokens, clean ? writing : { ...writing, cleans: false }),
    bytesOf: (token) => bytesOfToken(token, writing),
    isSpecial: (token) => is(token, CONTROL | UNKNOWN),
  };
}

function bosOf({ tokens, fields, model, pre }: GgufVocabulary, kind: Kind): number | null {
  const named = fields.number('tokenizer.ggml.bos_token_id');
  const id = named !== undefined && named < tokens.length ? named : kind.bos;
  const isGemma4 = model === 'gemma4' || pre === 'gemma4' || pre === 'granite-embed-multi-311m';
  const adds = isGemma4 || (fields.boolean('tokenizer.ggml.add_bos_token') ?? kind.addBos);
  return adds && id !== null && id < tokens.length ? id : null;
}

function kindOf(vocabulary: GgufVocabulary, ids: ReadonlyMap<string, number>, attributes: Uint8Array): Kind {
  const { model, pre, tokens, fields } = vocabulary;
  const unknownOr = (id: number) => Math.min(fields.number('tokenizer.ggml.unknown_token_id') ?? id, tokens.length - 1);
  switch (model) {
    case 'gpt2':
    case 'gemma4': {
      const name = model === 'gemma4' ? 'gemma4' : pre;
      const rules = preTokenizerOf(name);
      if (!rules) throw unknownVocabulary(`${model}, pre-tokenizer ${name}`);
      return bytePairKind(vocabulary, ids, rules);
    }
    case 'llama': {
      const encode = createSentencePieces(vocabulary, ids, fields.number('tokenizer.ggml.unknown_token_id') ?? 0);
      return { encode, bos: 1, addBos: true, addsSpace: true, cleans: false, byteLevel: false };
    }
    case 'bert': {
      const encode = createWordPieces(vocabulary, ids, unknownOr(100));
      return { encode, bos: 101, addBos: true, addsSpace: false, cleans: true, byteLevel: false };
    }
    case 't5': {
      const encode = createUnigrams(vocabulary, ids, attributes, unknownOr(2));
      return { encode, bos: null, addBos: false, addsSpace: false, cleans: false, byteLevel: false };
    }
    default:
      throw unknownVocabulary(model);
  }
}

function bytePairKind(vocabulary: GgufVocabulary, ids: ReadonlyMap<string, number>, rules: PreTokenizer): Kind {
  const { model, pre } = vocabulary;
  const bos = model === 'gemma4' || pre === 'glm4' || pre === 'chatglm-bpe' ? null : 11;
  return {
    encode: createBytePairs(vocabulary, ids, rules),
    bos,
    addBos: rules.addBos,
    addsSpace: false,
    cleans: model === 'gemma4',
    byteLevel: !rules.plain,
  };
}

function unknownVocabulary(name: string): Error {
  return unsupportedParameter(
    'model',
    `The tokens of this model can't be told on WebAssembly: its kind of vocabulary is not known here (${name}).`,
  );
}
