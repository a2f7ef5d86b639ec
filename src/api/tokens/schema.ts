import * as v from 'valibot';
import { booleanField, nonEmptyText, textField } from '../fields/fields.ts';
import { tokenId } from '../fields/text-input.ts';

/** The body of POST /v1/tokenize, in llama-server's form. */
export const tokenizeRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    content: textField,
    add_special: v.nullish(booleanField),
    parse_special: v.nullish(v.literal(true, 'must be true: special tokens that the content spells always are tokens')),
    with_pieces: v.nullish(booleanField),
  },
  'must be a JSON object',
);

/** The body of POST /v1/detokenize, in llama-server's form. */
export const detokenizeRequestSchema = v.looseObject(
  { model: nonEmptyText, tokens: v.array(tokenId, 'must be an array of token ids') },
  'must be a JSON object',
);
