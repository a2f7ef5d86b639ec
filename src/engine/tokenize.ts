import { invalidRequest } from '../contract/errors.ts';
import type { TextPart } from '../contract/prompt.ts';
import type { TokenPiece } from '../contract/questions.ts';

/** Texts up to this many characters are tokenized in one go; it takes some 100 ms, and the tokens are llama.cpp's own. */
const LONG = 32_768;
/** Longer ones are cut into pieces of about this many characters. Between two of them the running streams take a step. */
const PIECE = 4096;
/** A prompt of so many windows is not counted to its end: the rest is estimated from the share that is. */
const COUNTED_WINDOWS = 4;

/** A prompt as tokens, or that it does not fit and how many tokens it has. */
export type TokenizedPrompt<Token extends number> = { tokens: Token[] } | { overflow: number };

/** A piece of a prompt. */
export interface Piece {
  text: string;
  /** Whether it becomes ordinary tokens, whatever it spells. */
  literal: boolean;
  /** Whether it is the first of its part. */
  first: boolean;
}

export interface TokenizeOptions<Token extends number> {
  tokenize: (piece: Piece) => Token[];
  /** Lets others have their turn. */
  pause: () => Promise<unknown>;
  signal: AbortSignal | undefined;
  /** The window in tokens; without it, all of a text is tokenized. */
  contextLength?: number | undefined;
}

/**
 * Cuts a long text at places that no vocabulary joins across: before a line that does not begin with white space, else before
 * a space; where there is neither, anywhere between two characters.
 */
export function piecesOf(text: string, long = LONG, piece = PIECE): string[] {
  if (text.length <= long) return [text];
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > long) {
    const end = start + cutAt(text.slice(start, start + long), piece);
    pieces.push(text.slice(start, end));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

function cutAt(text: string, from: number): number {
  for (const place of [/\n(?=\S)/g, / (?=\w)/g]) {
    place.lastIndex = from;
    const found = place.exec(text);
    // A line break ends its line, a space begins its word.
    if (found) return found.index + (found[0] === '\n' ? 1 : 0);
  }
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length;
}

/** Tokenizes a prompt piece by piece, so that the engine's other streams go on meanwhile. Null when it was aborted. */
export async function tokenizePrompt<Token extends number>(
  parts: TextPart[],
  { tokenize, pause, signal, contextLength = Number.POSITIVE_INFINITY }: TokenizeOptions<Token>,
): Promise<TokenizedPrompt<Token> | null> {
  const tokens: Token[] = [];
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  let done = 0;
  let breath = PIECE;
  for (const piece of allPieces(parts)) {
    for (const token of tokenize(piece)) tokens.push(token);
    done += piece.text.length;
    if (tokens.length > COUNTED_WINDOWS * contextLength)
      return { overflow: Math.ceil((tokens.length * length) / done) };
    if (done < breath || done === length) continue;
    breath = done + PIECE;
    await pause();
    if (signal?.aborted) return null;
  }
  return { tokens };
}

/** The pieces of all parts. */
function* allPieces(parts: TextPart[]): Generator<Piece> {
  for (const { text: whole, literal } of parts) {
    for (const [index, text] of piecesOf(whole).entries()) yield { text, literal, first: index === 0 };
  }
}

/** Returns the tokens with the beginning-of-sequence token before them, if the model wants one and they have none. */
export function withBos<Token extends number>(tokens: Token[], bos: Token | null): Token[] {
  return bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

const wholeCharacters = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a token's bytes; the bytes themselves where they are no whole characters. */
export function pieceOf(bytes: Uint8Array): TokenPiece {
  try {
    return wholeCharacters.decode(bytes);
  } catch {
    return [...bytes];
  }
}

/** Throws a 400 `ApiError` for a token that a vocabulary of `size` tokens does not have. */
export function refuseUnknownIds(tokens: number[], size: number): void {
  const unknown = tokens.find((token) => token >= size);
  if (unknown === undefined) return;
  throw invalidRequest(`There is no token ${unknown}; the model's vocabulary ends at ${size - 1}.`);
}

/** Whether a prompt is token ids. An empty list is. */
export function isTokens(prompt: string | number[] | TextPart[]): prompt is number[] {
  return typeof prompt !== 'string' && typeof prompt[0] !== 'object';
}

/** The parts of a prompt that is text. */
export function partsOf(prompt: string | TextPart[]): TextPart[] {
  return typeof prompt === 'string' ? [{ text: prompt, literal: false }] : prompt;
}
