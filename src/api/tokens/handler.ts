import { type ApiError, invalidRequest } from '../../contract/errors.ts';
import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { jsonInTurns } from '../http/json-in-turns.ts';
import { detokenizeRequestSchema, MOST_TOKENS, tokenizeRequestSchema } from './schema.ts';

/**
 * POST /v1/tokenize: the tokens of a text in a model's vocabulary. With `with_pieces`, also the text of each token. Throws a 400 `ApiError`
 * for a text with more than `MOST_TOKENS`.
 */
export async function tokenize(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, tokenizeRequestSchema);
  const withPieces = body.with_pieces ?? false;
  const question = { text: body.content, addSpecial: body.add_special ?? false, most: MOST_TOKENS, withPieces };
  const { tokens, pieces } = await context.runner.ask(model.id, 'tokenize', question, callOf(context, request));
  if (tokens.length > MOST_TOKENS) throw tooManyTokens();
  const list = withPieces ? tokens.map((id, index) => ({ id, piece: pieces[index] })) : tokens;
  return jsonTextReply(await jsonInTurns({ tokens: list }));
}

function tooManyTokens(): ApiError {
  const message = `'content' has more tokens than one reply may have, ${MOST_TOKENS}. Send the text in parts.`;
  return invalidRequest(message, 'content', 'too_many_tokens');
}

/** POST /v1/detokenize: the text of tokens. */
export async function detokenize(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, detokenizeRequestSchema);
  const { text: content } = await context.runner.ask(
    model.id,
    'detokenize',
    { tokens: body.tokens },
    callOf(context, request),
  );
  return jsonReply({ content });
}
