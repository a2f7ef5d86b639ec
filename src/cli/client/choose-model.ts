import { kindOf, type Listed } from '../model-words.ts';

/**
 * Returns the model that a command shall use. Throws an `Error` that lists the models if the wanted one does not exist.
 */
export function chooseModel(models: Listed[], wanted: string | undefined): Listed {
  if (models.length === 0) throw new Error('the server has no models; paddock pull fetches one');
  const found = wanted === undefined ? firstChatModel(models) : models.find(({ id }) => id === wanted);
  if (found) return found;
  const ids = models.map(({ id }) => id).join(', ');
  throw new Error(
    wanted === undefined ? `none of the models can chat: ${ids}` : `there is no model '${wanted}'; there are ${ids}`,
  );
}

/** Prefers a model with a chat template, then one that is loaded. */
function firstChatModel(models: Listed[]): Listed | undefined {
  const rank = ({ loaded, settings }: Listed) => (settings.prompt_template ? 2 : 0) + (loaded ? 1 : 0);
  const [best] = models.filter((model) => kindOf(model).startsWith('chat')).sort((a, b) => rank(b) - rank(a));
  return best;
}
