import { modelNotFound } from '../../contract/errors.ts';
import { findByName } from '../../contract/models/find-model.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';

/**
 * Returns the model of a request in llama-server's form, which need not name one: the first loaded model that writes text, else the
 * first of all. Throws a 404 `ApiError` for an unknown model, and if there is no model.
 */
export function wantedModel({ catalogue, runner }: RequestContext, wanted: string | null | undefined): ModelCard {
  const name = wanted?.trim() ?? '';
  const loaded = runner.loaded().map(({ id }) => id);
  const cards = catalogue.list().filter(({ settings, rankingModel }) => !settings.embedding && !rankingModel);
  const usual = cards.find(({ id }) => loaded.includes(id)) ?? cards[0];
  const model = name === '' ? usual : findByName(catalogue, name);
  if (!model) throw modelNotFound(name);
  return model;
}
