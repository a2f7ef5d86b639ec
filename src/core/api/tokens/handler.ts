import * as v from 'valibot';
import type { ApiContext } from '../context.ts';
import { booleanField, nonEmptyText, text } from '../fields/fields.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { tokenId } from '../fields/text-input.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/** The body of POST /v1/tokenize, as llama-server's. */
export const tokenizeRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    content: text,
    add_special: v.nullish(booleanField),
    parse_special: v.nullish(v.literal(true, 'must be true: special tokens that the content spells always are tokens')),
    with_pieces: v.nullish(booleanField),
  },
  'must be a JSON object',
);

/** The body of POST /v1/detokenize, as llama-server's. */
export const detokenizeRequestSchema = v.looseObject(
  { model: nonEmptyText, tokens: v.array(tokenId, 'must be an array of token ids') },
  'must be a JSON object',
);

/** POST /v1/tokenize: the tokens of a text in a model's vocabulary, with the text of each when asked for. */
export async function tokenize(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, tokenizeRequestSchema);
  const question = { text: body.content, addSpecial: body.add_special ?? false };
  const { tokens, pieces } = await context.runner.ask(model.id, 'tokenize', question, request.signal);
  return jsonReply({ tokens: body.with_pieces ? tokens.map((id, index) => ({ id, piece: pieces[index] })) : tokens });
}

/** POST /v1/detokenize: the text that tokens stand for. */
export async function detokenize(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, detokenizeRequestSchema);
  const { text: content } = await context.runner.ask(model.id, 'detokenize', { tokens: body.tokens }, request.signal);
  return jsonReply({ content });
}
