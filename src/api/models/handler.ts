import { modelNotFound, notSupportedHere } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { listedModel, toModel } from './model-object.ts';

/** The latest list, and the JSON texts of its models. Clients request it often, and it rarely changes. */
let latest: { models: string[]; list: string } = { models: [], list: listOf([], []) };

/** GET /v1/models */
export function listModels({ catalogue, runner }: RequestContext): ApiReply {
  const loaded = new Map(runner.loaded().map((model) => [model.id, model]));
  const cards = catalogue.list();
  const models = cards.map((card) => listedModel(card, loaded.get(card.id)));
  const isSame = models.length === latest.models.length && models.every((text, place) => text === latest.models[place]);
  if (!isSame) latest = { models, list: listOf(cards, models) };
  return jsonTextReply(latest.list);
}

function listOf(cards: ModelCard[], models: string[]): string {
  // The list is one page, as Anthropic's clients have it.
  const page = { has_more: false, first_id: cards.at(0)?.id ?? null, last_id: cards.at(-1)?.id ?? null };
  return `{"object":"list","data":[${models.join()}],${JSON.stringify(page).slice(1)}`;
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
