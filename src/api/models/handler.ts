import { modelNotFound, notSupportedHere } from '../../contract/errors.ts';
import { findByName } from '../../contract/models/find-model.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { listedModel, toModel } from './model-object.ts';

/** The latest list, and the JSON texts of its models. Clients request it often, and it rarely changes. */
let latest: { models: string[]; list: string } = { models: [], list: listOf([]) };

/** GET /v1/models */
export function listModels({ catalogue, runner }: RequestContext): ApiReply {
  const loaded = new Map(runner.loaded().map((model) => [model.id, model]));
  const cards = catalogue.list();
  const taken = new Set(cards.map(({ id }) => id));
  const entries = cards.flatMap((card) => {
    const text = listedModel(card, loaded.get(card.id));
    const entry = (id: string, model: string) => ({ id, text: listedAlias(model, id, card.id) });
    const aliases = freeNames(card.aliases ?? [], taken).map((id) => entry(id, text));
    // Another model may have the name as an alias, which comes first.
    const names = Object.keys(card.profiles ?? {}).filter((name) => findByName(catalogue, name)?.id === card.id);
    const profiles = freeNames(names, taken).map((id) =>
      entry(id, listedModel(findByName(catalogue, id) ?? card, loaded.get(card.id))),
    );
    return [{ id: card.id, text }, ...aliases, ...profiles];
  });
  const models = entries.map(({ text }) => text);
  const isSame = models.length === latest.models.length && models.every((text, place) => text === latest.models[place]);
  if (!isSame) latest = { models, list: listOf(entries) };
  return jsonTextReply(latest.list);
}

/** Returns the names of a model that stand for it: those that are no model's id, and no name of a model before it. */
function freeNames(names: string[], taken: Set<string>): string[] {
  const free = names.filter((name) => !taken.has(name));
  for (const name of free) taken.add(name);
  return free;
}

/** Returns the entry of an alias, as JSON text: that of its model, with the other id. Clients look for the name here. */
function listedAlias(model: string, alias: string, id: string): string {
  return JSON.stringify({ ...JSON.parse(model), id: alias, alias_of: id });
}

function listOf(entries: { id: string; text: string }[]): string {
  // The list is one page, as Anthropic's clients have it.
  const page = { has_more: false, first_id: entries.at(0)?.id ?? null, last_id: entries.at(-1)?.id ?? null };
  const data = entries.map(({ text }) => text).join();
  const rest = { ...page, models: entries.map(({ text }) => listedForDecisions(JSON.parse(text))) };
  return `{"object":"list","data":[${data}],${JSON.stringify(rest).slice(1)}`;
}

/** Returns the entry of a model as TypeSafe's client for System One reads it, under another key of the same list. */
function listedForDecisions({ id, created, description }: { id: string; created: number; description?: string }) {
  const [day] = new Date(created * 1000).toISOString().split('T');
  return { name: id, description: description ?? '', release_date: day };
}

/** GET /v1/models/{id}. Throws a 404 `ApiError`. */
export function retrieveModel({ catalogue, runner }: RequestContext, _: ApiRequest, id: string): ApiReply {
  const card = findByName(catalogue, id);
  if (!card) throw modelNotFound(id);
  const loaded = runner.loaded().find((model) => model.id === card.id);
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
