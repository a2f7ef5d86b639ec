import * as v from 'valibot';
import { toChatConversation } from '../chat/request.ts';
import { chatRequestSchema } from '../chat/schema.ts';
import { callOf, type RequestContext } from '../context.ts';
import { textField } from '../fields/fields.ts';
import { readRequestFor } from '../fields/model-request.ts';
import { wantedModel } from '../fields/wanted-model.ts';
import { readGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/** The body of a chat request that need not name a model: llama-server has only one, and its clients name none. */
export const templateRequestSchema = v.looseObject(
  { ...chatRequestSchema.entries, model: v.nullish(textField) },
  'must be a JSON object',
);

/** POST /v1/apply-template: the prompt that a chat request becomes, as text. Nothing is generated. */
export async function applyTemplate(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readRequestFor(context, request, templateRequestSchema, ({ model }) =>
    wantedModel(context, model),
  );
  const conversation = toChatConversation({ ...body, model: model.id });
  const generation = await readGeneration(context, request.signal, model, conversation);
  const { prompt } = await context.runner.ask(model.id, 'renderPrompt', generation, callOf(context, request));
  return jsonReply({ prompt });
}
