import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { detokenizeRequestSchema, tokenizeRequestSchema } from './schema.ts';

/** POST /v1/tokenize: the tokens of a text in a model's vocabulary. With `with_pieces`, also the text of each token. */
export async function tokenize(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, tokenizeRequestSchema);
  const question = { text: body.content, addSpecial: body.add_special ?? false };
  const { tokens, pieces } = await context.runner.ask(model.id, 'tokenize', question, callOf(context, request));
  return jsonReply({ tokens: body.with_pieces ? tokens.map((id, index) => ({ id, piece: pieces[index] })) : tokens });
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
