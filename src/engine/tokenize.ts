import { invalidRequest } from '../contract/errors.ts';
import type { TextPart } from '../contract/prompt.ts';
import type { TokenPiece } from '../contract/questions.ts';

/**
 * Texts up to this many characters are tokenized in one call, which takes about 100 ms and gives exactly llama.cpp's
 * tokens.
 */
const LONG = 32_768;
/**
 * Longer texts are cut into pieces of about this many characters. Between two pieces, the running streams can take a
 * step.
 */
const PIECE = 4096;
/** After this many context windows of tokens, counting stops, and the length of the whole prompt is estimated. */
const COUNTED_WINDOWS = 4;

/** The tokens of a prompt; or `overflow`, the estimated number of tokens of a prompt that is far too long. */
export type TokenizedPrompt<Token extends number> = { tokens: Token[] } | { overflow: number };

/** A piece of a prompt. */
export interface PromptPiece {
  text: string;
  /** True if it becomes ordinary tokens even if it spells a special token. */
  literal: boolean;
  /** True if it is the first piece of its part. */
  first: boolean;
}

/** The functions and limits with which a prompt is tokenized. */
export interface TokenizeOptions<Token extends number> {
  tokenize: (piece: PromptPiece) => Token[];
  /** Resolves after the event loop has handled other work. */
  pause: () => Promise<unknown>;
  signal: AbortSignal | undefined;
  /** The context window in tokens; without it, the whole prompt is tokenized. */
  contextLength?: number | undefined;
  /** No more of the prompt is tokenized once it has more tokens than this. */
  most?: number | undefined;
}

/**
 * Cuts a long text at places that no vocabulary joins across: before a line that does not begin with white space, else
 * before a space; where there is neither, anywhere between two characters.
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

/**
 * Tokenizes a prompt piece by piece, so that the engine's other streams go on meanwhile. Resolves to null after an
 * abort.
 */
export async function tokenizePrompt<Token extends number>(
  parts: TextPart[],
  {
    tokenize,
    pause,
    signal,
    contextLength = Number.POSITIVE_INFINITY,
    most = Number.POSITIVE_INFINITY,
  }: TokenizeOptions<Token>,
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
    if (tokens.length > most) break;
    if (done < breath || done === length) continue;
    breath = done + PIECE;
    await pause();
    if (signal?.aborted) return null;
  }
  return { tokens };
}

/** Yields the pieces of all parts. */
function* allPieces(parts: TextPart[]): Generator<PromptPiece> {
  for (const { text: whole, literal } of parts) {
    for (const [index, text] of piecesOf(whole).entries()) yield { text, literal, first: index === 0 };
  }
}

/** Returns the tokens with the beginning-of-sequence token before them, if the model wants one and they have none. */
export function withBos<Token extends number>(tokens: Token[], bos: Token | null): Token[] {
  return bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

const wholeCharacters = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a token's bytes, or the bytes themselves if they are not whole characters. */
export function pieceOf(bytes: Uint8Array): TokenPiece {
  try {
    return wholeCharacters.decode(bytes);
  } catch {
    return [...bytes];
  }
}

/** Throws a 400 `ApiError` if a token is not in a vocabulary of `size` tokens. */
export function refuseUnknownIds(tokens: number[], size: number): void {
  const unknown = tokens.find((token) => token >= size);
  if (unknown === undefined) return;
  throw invalidRequest(`There is no token ${unknown}; the model's vocabulary ends at ${size - 1}.`);
}

/** True if a prompt is a list of token ids. An empty list counts as one. */
export function isTokens(prompt: string | number[] | TextPart[]): prompt is number[] {
  return typeof prompt !== 'string' && typeof prompt[0] !== 'object';
}

/** Returns the parts of a prompt that is text. */
export function partsOf(prompt: string | TextPart[]): TextPart[] {
  return typeof prompt === 'string' ? [{ text: prompt, literal: false }] : prompt;
}
