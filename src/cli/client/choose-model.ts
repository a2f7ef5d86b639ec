import { startersLike } from '../../contract/models/find-starter.ts';
import type { ListedModel } from '../../contract/models/model.ts';
import { purposeOf } from '../model-words.ts';

/**
 * Returns the wanted model, or the best one for a chat if none is wanted. Throws an `Error` that lists the models if
 * there is no such model.
 */
export function chooseModel(models: ListedModel[], wanted: string | undefined): ListedModel {
  if (models.length === 0) throw new Error('the server has no models; paddock pull fetches one');
  const found = wanted === undefined ? firstChatModel(models) : models.find(({ id }) => id === wanted);
  if (found) return found;
  const ids = models.map(({ id }) => id).join(', ');
  if (wanted === undefined) throw new Error(`none of the models can chat: ${ids}`);
  const alike = startersLike(wanted).map(({ name }) => name);
  const advice = alike.length === 0 ? '' : `. These can be pulled: ${alike.join(', ')}`;
  throw new Error(`there is no model '${wanted}'; there are ${ids}${advice}`);
}

/** Prefers a model with a chat template, then one that is loaded. */
function firstChatModel(models: ListedModel[]): ListedModel | undefined {
  const rank = ({ loaded, settings }: ListedModel) => (settings.prompt_template ? 2 : 0) + (loaded ? 1 : 0);
  const [best] = models.filter((model) => purposeOf(model).startsWith('chat')).sort((a, b) => rank(b) - rank(a));
  return best;
}
