import type { Model } from '../../core/model.ts';

type Offered = Omit<Model, 'sources'>;

/** The model that a command is to use. Throws an `Error` that names those on offer when it is not there. */
export function chooseModel(models: Offered[], wanted: string | undefined): Offered {
  if (models.length === 0) throw new Error('the server has no models; paddock pull fetches one');
  const found = wanted === undefined ? firstChatModel(models) : models.find(({ id }) => id === wanted);
  if (found) return found;
  const ids = models.map(({ id }) => id).join(', ');
  throw new Error(
    wanted === undefined ? `none of the models can chat: ${ids}` : `there is no model '${wanted}'; there are ${ids}`,
  );
}

/** Preferably one that is loaded, and one that has a chat template, which rankers lack. */
function firstChatModel(models: Offered[]): Offered | undefined {
  const rank = ({ loaded, settings }: Offered) => (settings.prompt_template ? 2 : 0) + (loaded ? 1 : 0);
  const [best] = models.filter(({ capabilities }) => !capabilities.embedding).sort((a, b) => rank(b) - rank(a));
  return best;
}
