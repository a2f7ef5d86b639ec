import type { TextPart } from '../../core/chat/literal-text.ts';
import type { LlamaModel, Token } from './llama.ts';

/** Texts up to this many characters are tokenized in one go; it takes some 100 ms, and the tokens are llama.cpp's own. */
const LONG = 32_768;
/** Longer ones are cut into pieces of about this many characters. Between two of them the running streams take a step. */
const PIECE = 4096;
/** A prompt of so many windows is not counted to its end: the rest is estimated from the share that is. */
const COUNTED_WINDOWS = 4;

/** A prompt as tokens, or that it does not fit and how many tokens it has. */
export type TokenizedPrompt = { tokens: Token[] } | { overflow: number };

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

/**
 * Tokenizes a prompt piece by piece, so that the engine's other streams go on meanwhile. Parts that are literal become
 * ordinary tokens whatever they spell. Null when it was aborted.
 *
 * @param contextLength the window in tokens; without it, all of a text is tokenized
 */
export async function tokenizePrompt(
  model: LlamaModel,
  parts: TextPart[],
  signal: AbortSignal | undefined,
  contextLength = Number.POSITIVE_INFINITY,
): Promise<TokenizedPrompt | null> {
  const tokens: Token[] = [];
  // Byte-level vocabularies know no space at the beginning that has to be taken back.
  const byteLevel = model.fileInfo.metadata.tokenizer.ggml.model === 'gpt2';
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  let done = 0;
  let breath = PIECE;
  for (const { piece, literal, first } of allPieces(parts)) {
    const trim = (literal || !first) && !byteLevel ? 'trimLeadingSpace' : undefined;
    for (const token of model.tokenize(piece, !literal, trim)) tokens.push(token);
    done += piece.length;
    if (tokens.length > COUNTED_WINDOWS * contextLength)
      return { overflow: Math.ceil((tokens.length * length) / done) };
    if (done < breath || done === length) continue;
    breath = done + PIECE;
    await new Promise(setImmediate);
    if (signal?.aborted) return null;
  }
  return { tokens };
}

/** The pieces of all parts; `first` is the first of its part. */
function* allPieces(parts: TextPart[]): Generator<{ piece: string; literal: boolean; first: boolean }> {
  for (const { text, literal } of parts) {
    for (const [index, piece] of piecesOf(text).entries()) yield { piece, literal, first: index === 0 };
  }
}
