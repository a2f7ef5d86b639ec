import { MEDIA_MARK } from '../../contract/media.ts';
import type { TextPart } from '../../contract/prompt.ts';
import { isTokens, partsOf } from '../tokenize.ts';
import type { MediaReading } from './llama/media/projector.ts';
import type { Token } from './llama/tokens/token.ts';
import type { Vocabulary } from './llama/tokens/vocabulary.ts';
import type { PlacedPiece } from './prompt-media.ts';

/** The tokens of a prompt with images and recordings, or an estimate of its length if that is far too long. */
export type MediaPrompt =
  /** The first `added` tokens were added before its text. */
  { tokens: Token[]; added: number; pieces: PlacedPiece[] } | { overflow: number };

/**
 * Turns a prompt into tokens, with the tokens of an image or a recording at each mark. Resolves to null after an abort.
 * Throws a plain error if there are not as many marks as media.
 */
export async function tokenizeWithMedia(
  vocabulary: Pick<Vocabulary, 'promptTokens' | 'innerTokens'>,
  prompt: string | number[] | TextPart[],
  media: readonly MediaReading[],
  signal: AbortSignal,
  contextLength: number,
): Promise<MediaPrompt | null> {
  if (media.length === 0) {
    const whole = await vocabulary.promptTokens(prompt, signal, contextLength);
    return whole && ('tokens' in whole ? { ...whole, pieces: [] } : whole);
  }
  const [first = [], ...others] = isTokens(prompt) ? [] : splitAtMarks(partsOf(prompt));
  if (others.length !== media.length) throw new Error(`a prompt has ${others.length} marks for ${media.length} media`);
  const opening = await vocabulary.promptTokens(first, signal, contextLength);
  if (!opening || 'overflow' in opening) return opening;
  const { tokens, added } = opening;
  const pieces: PlacedPiece[] = [];
  for (const [index, text] of others.entries()) {
    const { parts = [] } = media[index] ?? {};
    append(parts, tokens, pieces);
    const inner = await vocabulary.innerTokens(text, signal, contextLength);
    if (!inner) return null;
    if ('overflow' in inner) return { overflow: tokens.length + inner.overflow };
    for (const token of inner.tokens) tokens.push(token);
  }
  return { tokens, added, pieces };
}

/** Adds the tokens of an image or a recording to those of a prompt, and notes where its pieces are. */
function append(parts: MediaReading['parts'], tokens: Token[], pieces: PlacedPiece[]): void {
  for (const part of parts) {
    const isText = Array.isArray(part);
    if (!isText) pieces.push({ ...part, from: tokens.length });
    for (const token of isText ? part : part.tokens) tokens.push(token);
  }
}

/** Cuts a prompt into the parts before the first mark, between two marks, and after the last. */
function splitAtMarks(parts: TextPart[]): TextPart[][] {
  const split: TextPart[][] = [[]];
  for (const part of parts) {
    for (const [index, text] of part.text.split(MEDIA_MARK).entries()) {
      if (index > 0) split.push([]);
      if (text !== '') split.at(-1)?.push({ ...part, text });
    }
  }
  return split;
}
