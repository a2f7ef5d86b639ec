import { modelNotFound, notSupportedHere } from '../../errors.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { listedModel, toModel } from './model-object.ts';

/** GET /v1/models */
export function listModels({ catalogue, runner }: RequestContext): ApiReply {
  const loaded = new Map(runner.loaded().map((model) => [model.id, model]));
  const cards = catalogue.list();
  const data = cards.map((card) => listedModel(card, loaded.get(card.id)));
  // The list is one page, as Anthropic's clients have it.
  const page = { has_more: false, first_id: cards.at(0)?.id ?? null, last_id: cards.at(-1)?.id ?? null };
  const rest = JSON.stringify(page).slice(1);
  return jsonTextReply(`{"object":"list","data":[${data.join()}],${rest}`);
}

/** GET /v1/models/{id}. Throws a 404 `ApiError`. */
export function retrieveModel({ catalogue, runner }: RequestContext, _: ApiRequest, id: string): ApiReply {
  const card = catalogue.find(id);
  if (!card) throw modelNotFound(id);
  const loaded = runner.loaded().find((model) => model.id === id);
  return jsonReply(toModel(card, loaded));
}

/**
 * DELETE /v1/models/{id}: removes a model and its files. Throws a 404 `ApiError`, and a 400 for a model that can't be
 * removed.
 */
export async function deleteModel(context: RequestContext, _: ApiRequest, id: string): Promise<ApiReply> {
  const { catalogue, remover, trace } = context;
  if (!catalogue.find(id)) throw modelNotFound(id);
  trace.model = id;
  if (!remover) throw notSupportedHere('This Paddock can not remove models.');
  await remover.remove(id);
  return jsonReply({ id, object: 'model', deleted: true });
}
