import { ApiError, modelNotFound } from '../../contract/errors.ts';
import { findByName } from '../../contract/models/find-model.ts';
import { findStarter, sourceOfStarter } from '../../contract/models/find-starter.ts';
import type { Catalogue, ModelCard } from '../../contract/models/model.ts';

/** The prefix of a hub's model in the names of Ollama's clients. */
const HUB = /^(https?:\/\/)?(www\.)?(hf\.co|huggingface\.co)\//;
/** The tag that Ollama's clients add to a name without a tag. */
const LATEST = /:latest$/;

/**
 * Finds a model by the name that an Ollama client has for it: its id, with or without `:latest`, the name of a starter
 * model, or the name by which it was pulled from a hub, as in `hf.co/org/repo:Q4_K_M`. Throws a 404 `ApiError` with Ollama's message.
 */
export function findModel({ catalogue }: { catalogue: Catalogue }, name: string): ModelCard {
  const card = findByName(catalogue, name) ?? catalogue.find(name.replace(LATEST, '')) ?? findPulled(catalogue, name);
  if (card) return card;
  throw new ApiError({ ...modelNotFound(name).data, message: `model '${name}' not found` });
}

/**
 * A pulled model's id is its repository and quantization. A name without the quantization means the only pulled one.
 */
function findPulled(catalogue: Catalogue, name: string): ModelCard | undefined {
  if (!HUB.test(name)) return undefined;
  const [repo = '', quant] = name.replace(HUB, '').replace(LATEST, '').split(':');
  if (quant !== undefined) return catalogue.find(`${repo}:${quant.toUpperCase()}`);
  const [only, ...others] = catalogue.list().filter(({ id }) => id === repo || id.startsWith(`${repo}:`));
  return others.length === 0 ? only : undefined;
}

/**
 * Returns the source of a model to pull, in the puller's form; null for a name that is neither a place nor a starter
 * model.
 */
export function toPullSource(name: string): string | null {
  if (HUB.test(name)) {
    const place = name.replace(HUB, '').replace(LATEST, '');
    return /\/(blob|resolve|tree)\//.test(place) ? `https://huggingface.co/${place}` : `hf:${place}`;
  }
  const starter = findStarter(name);
  if (starter) return sourceOfStarter(starter);
  return /^(hf:|https?:\/\/)/.test(name) ? name.replace(LATEST, '') : null;
}
