import * as v from 'valibot';
import { booleanField, nonEmptyText, textField } from '../fields/fields.ts';
import { tokenId } from '../fields/text-input.ts';

/** The most tokens in one reply: the context window of a large model. */
export const MOST_TOKENS = 131_072;
/** The longest text, in characters. Texts of a language have about four characters for a token. */
export const LONGEST_TEXT = 4 * MOST_TOKENS;

/** The body of POST /v1/tokenize, in llama-server's form. */
export const tokenizeRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    content: v.pipe(
      textField,
      v.maxLength(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters: send a longer text in parts`),
    ),
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
