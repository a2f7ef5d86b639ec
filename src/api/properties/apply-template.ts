import { toChatConversation } from '../chat/request.ts';
import { chatRequestSchema } from '../chat/schema.ts';
import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { readGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';

/** POST /v1/apply-template: the prompt that a chat request becomes, as text. Nothing is generated. */
export async function applyTemplate(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, chatRequestSchema);
  const generation = await readGeneration(context, request.signal, model, toChatConversation(body));
  const { prompt } = await context.runner.ask(model.id, 'renderPrompt', generation, callOf(context, request));
  return jsonReply({ prompt });
}
