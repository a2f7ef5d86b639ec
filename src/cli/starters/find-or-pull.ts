import type { ListedModel } from '../../contract/models/model.ts';
import { chooseModel } from '../client/choose-model.ts';
import type { ServerClient } from '../client/client.ts';
import { bringModel, modelNamed } from './bring.ts';

/**
 * Returns the model with this id or starter name. If it is not there, asks the user and pulls it. Without a name,
 * returns the best model for a chat. Throws an `Error` if there is no such model.
 */
export async function findOrPull(
  client: ServerClient,
  name: string | undefined,
  isAgreed: boolean,
): Promise<ListedModel> {
  const models = await client.models();
  if (name === undefined || models.some(({ id }) => id === name)) return chooseModel(models, name);
  const named = await modelNamed(client, name);
  if (!named) return chooseModel(models, name);
  const here = models.find(({ id }) => id === named.id);
  if (here) return here;
  const id = await bringModel(client, name, named, isAgreed);
  return chooseModel(await client.models(), id);
}
