import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { checkUnloads, ensureLoaded } from '../generation/load.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { toModel } from './model-object.ts';
import { loadRequestSchema, unloadRequestSchema } from './schema.ts';

/**
 * POST /v1/models/load: answers with the Model object once the model is loaded. Throws an `ApiError` if it can't be.
 */
export async function load(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readModelRequest(context, request, loadRequestSchema);
  await ensureLoaded(context, request, model);
  const loaded = context.runner.loaded().find(({ id }) => id === model.id);
  // A service worker only knows which models were loaded when the request came.
  return jsonReply({ ...toModel(model, loaded), loaded: true });
}

/** POST /v1/models/unload: answers at once. The model is unloaded when its running requests have ended. */
export async function unload(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readModelRequest(context, request, unloadRequestSchema);
  return jsonReply({ id: model.id, object: 'model', unloaded: checkUnloads(context).unload(model.id) });
}
