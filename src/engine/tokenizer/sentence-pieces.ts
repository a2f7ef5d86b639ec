import type { GgufVocabulary } from '../../gguf/vocabulary.ts';
import { byteName, type Encode } from './byte-pairs.ts';
import { mergeCharacters } from './merge.ts';

/**
 * Makes the encoder of a vocabulary of scores, as in Llama 2: of all neighbours that together are a token, the pair
 * with the best score merges first. A part that is no token in the end becomes the tokens of its bytes.
 */
export function createSentencePieces(
  { scores }: GgufVocabulary,
  ids: ReadonlyMap<string, number>,
  unknown: number | undefined,
): Encode {
  const rankOf = (left: string, right: string) => {
    const id = ids.get(left + right);
    return id === undefined ? undefined : -(scores[id] ?? 0);
  };
  const utf8 = new TextEncoder();
  const idsOf = (part: string): number[] => {
    const id = ids.get(part);
    if (id !== undefined) return [id];
    return Array.from(utf8.encode(part), (byte) => ids.get(byteName(byte)) ?? unknown).filter((id) => id !== undefined);
  };
  return (text) => mergeCharacters(text.replaceAll(' ', '▁'), rankOf).flatMap(idsOf);
}
