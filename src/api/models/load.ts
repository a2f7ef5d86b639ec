import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { checkUnloads, loadModel } from '../generation/load.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { toModel } from './model-object.ts';
import { loadRequestSchema, unloadRequestSchema } from './schema.ts';

/** POST /v1/models/load: answers with the Model object once the model is loaded. Throws an `ApiError` if it can't be. */
export async function load(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readModelRequest(context, request, loadRequestSchema);
  await loadModel(context, request, model);
  const loaded = context.runner.loaded().find(({ id }) => id === model.id);
  // A service worker knows what was loaded when the request came, and no more.
  return jsonReply({ ...toModel(model, loaded), loaded: true });
}

/** POST /v1/models/unload: answers at once. Requests that run may end first, and then the model leaves memory. */
export async function unload(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readModelRequest(context, request, unloadRequestSchema);
  return jsonReply({ id: model.id, object: 'model', unloaded: checkUnloads(context).unload(model.id) });
}
