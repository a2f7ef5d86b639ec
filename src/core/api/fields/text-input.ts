import * as v from 'valibot';
import { integer, nonEmptyText } from './fields.ts';

/** A text or its tokens. */
export type TextInput = string | number[];

/** One token's id in a model's vocabulary. */
export const tokenId = integer(0, 0x7fffffff);

const tokens = v.pipe(v.array(tokenId, 'must be an array of token ids'), v.nonEmpty('must not be empty'));

/** OpenAI's `input` and `prompt`: a text, several, a text's tokens, or those of several; at most `max`, none empty. */
export function textInputs(max: number) {
  const several = <S extends v.GenericSchema>(item: S) =>
    v.pipe(v.array(item), v.nonEmpty('must not be empty'), v.maxLength(max, `must have at most ${max} texts`));
  return v.union(
    [nonEmptyText, several(nonEmptyText), tokens, several(tokens)],
    'must be a string, an array of strings, an array of token ids or an array of such arrays, and not empty',
  );
}

/** The inputs one by one. */
export function toTextInputs(input: string | string[] | number[] | number[][]): TextInput[] {
  if (typeof input === 'string') return [input];
  return isTokens(input) ? [input] : input;
}

function isTokens(input: string[] | number[] | number[][]): input is number[] {
  return typeof input[0] === 'number';
}
