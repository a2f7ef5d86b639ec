/**
 * The texts at which a repetition begins anew for DRY, as tokens: for each token with which such a text may begin, the
 * tokens that may follow it. There are none to follow if the token contains the whole text.
 */
export type Breakers = ReadonlyMap<number, readonly (readonly number[])[]>;

/** No text is a breaker. */
export const NO_BREAKERS: Breakers = new Map();

/** The functions of a vocabulary with which breakers are found. */
export interface BreakerVocabulary {
  size: number;
  /** Returns the UTF-8 bytes of one token. */
  bytesOf(token: number): ArrayLike<number>;
  /** Returns the tokens of a text that follows other text. */
  tokensAmid(text: string): number[];
}

/** llama.cpp cuts breakers off here, in bytes, and the tokens after the first one here. */
const MOST_BYTES = 40;
const MOST_TOKENS = 20;
/** `pause` is called after this many tokens. */
const TOKENS_PER_TURN = 2048;

/**
 * Finds the tokens of breakers. This is `get_overlapping_token_sequences`. It looks at the whole vocabulary, so it calls
 * `pause` every few milliseconds.
 */
export async function findBreakers(
  texts: readonly string[],
  vocabulary: BreakerVocabulary,
  pause: () => Promise<unknown>,
): Promise<Breakers> {
  const encoder = new TextEncoder();
  const wanted = texts.map((text) => toByteText(encoder.encode(text).subarray(0, MOST_BYTES)));
  const breakers = new Map<number, number[][]>();
  for (let token = 0; token < vocabulary.size; token++) {
    if (token % TOKENS_PER_TURN === TOKENS_PER_TURN - 1) await pause();
    const word = toByteText(vocabulary.bytesOf(token));
    const tails = word === '' ? [] : wanted.flatMap((text) => tailsAfter(word, text, vocabulary));
    if (tails.length > 0) breakers.set(token, tails);
  }
  return breakers;
}

/** Returns the tokens that may follow a token so that both are a breaker; `[]` if the token contains the breaker. */
function tailsAfter(word: string, text: string, vocabulary: BreakerVocabulary): number[][] {
  if (word.includes(text)) return [[]];
  const tails: number[][] = [];
  for (let shared = Math.min(word.length, text.length - 1); shared > 0; shared--) {
    if (!word.endsWith(text.slice(0, shared))) continue;
    const rest = new TextDecoder().decode(Uint8Array.from(text.slice(shared), (byte) => byte.charCodeAt(0)));
    tails.push(vocabulary.tokensAmid(rest).slice(0, MOST_TOKENS));
  }
  return tails;
}

/** Returns a string with one character for each byte: strings are quick to search. */
function toByteText(bytes: ArrayLike<number>): string {
  let text = '';
  for (let index = 0; index < bytes.length; index++) text += String.fromCharCode(bytes[index] ?? 0);
  return text;
}
