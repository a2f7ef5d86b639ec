import * as v from 'valibot';
import { integerField, list, nonEmptyText } from './fields.ts';

/** A text, or the tokens of one. */
export type TextInput = string | number[];

/** The id of a token in a model's vocabulary. */
export const tokenId = integerField(0, 0x7fffffff);

const tokens = v.pipe(v.array(tokenId, 'must be an array of token ids'), v.nonEmpty('must not be empty'));

/**
 * OpenAI's `input` and `prompt`: one text, several texts, the tokens of one text, or the tokens of several texts. There
 * are at most `max` texts, and none is empty.
 */
export function textInputs(max: number) {
  const several = <S extends v.GenericSchema>(item: S) =>
    v.pipe(list(item, max, 'texts', 'must be an array'), v.nonEmpty('must not be empty'));
  return v.union(
    [nonEmptyText, several(nonEmptyText), tokens, several(tokens)],
    'must be a string, an array of strings, an array of token ids or an array of such arrays, and not empty',
  );
}

/** Splits the field into its texts. */
export function toTextInputs(input: string | string[] | number[] | number[][]): TextInput[] {
  if (typeof input === 'string') return [input];
  return isTokens(input) ? [input] : input;
}

function isTokens(input: string[] | number[] | number[][]): input is number[] {
  return typeof input[0] === 'number';
}
