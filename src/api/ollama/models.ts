import { notSupportedHere } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { LoadedModel } from '../../contract/residency.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { modifiedAt, toCapabilities, toDetails, toListed, toModelInfo, toParameterLines } from './model-facts.ts';
import { readOllamaModelRequest } from './read.ts';
import { modelSchema } from './schema.ts';

/**
 * The version of Ollama with this API. Clients compare it with the lowest version that they support, and Paddock's own
 * version number would be too low. Codex 0.169 needs this version.
 */
const API_LEVEL = '0.13.4';

/**
 * `expires_at` of a model that is in use, or that stays until its memory is needed. Go and Python can both parse this
 * date.
 */
const NO_END = '2300-01-01T00:00:00.000Z';

/** GET /api/version */
export function ollamaVersion(): ApiReply {
  return jsonReply({ version: API_LEVEL });
}

/** GET /api/tags: the models on offer. */
export async function ollamaTags({ catalogue }: RequestContext): Promise<ApiReply> {
  return jsonReply({ models: await Promise.all(catalogue.list().map(toListed)) });
}

/** GET /api/ps: the models that are loaded. */
export async function ollamaPs({ catalogue, runner }: RequestContext): Promise<ApiReply> {
  const running = runner.loaded().flatMap((loaded) => {
    const card = catalogue.find(loaded.id);
    return card ? [toRunning(card, loaded)] : [];
  });
  return jsonReply({ models: await Promise.all(running) });
}

async function toRunning(card: ModelCard, { memory, engine, expiresAt }: LoadedModel) {
  return {
    ...(await toListed(card)),
    size: memory,
    expires_at: expiresAt ? new Date(expiresAt).toISOString() : NO_END,
    size_vram: engine.backend === 'gpu' ? memory : 0,
    context_length: engine.contextLength,
  };
}

/** POST /api/show: all facts about one model. Throws a 404 `ApiError`. */
export async function ollamaShow(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model: card } = await readOllamaModelRequest(context, request, modelSchema);
  const loaded = context.runner.loaded().find(({ id }) => id === card.id);
  const parameters = toParameterLines(card, loaded);
  const { prompt_template: template = '', system_prompt: system = '' } = card.settings;
  return jsonReply({
    license: '',
    modelfile: toModelfile(card.id, parameters, system),
    parameters: parameters.join('\n'),
    template,
    system,
    details: toDetails(card),
    messages: [],
    model_info: toModelInfo(card, loaded),
    capabilities: toCapabilities(card),
    modified_at: modifiedAt(card),
  });
}

/** Returns a Modelfile. The template is Jinja, which a Modelfile can't have, so it is left out. */
function toModelfile(id: string, parameters: string[], system: string): string {
  return [
    `FROM ${id}`,
    ...parameters.map((line) => `PARAMETER ${line}`),
    ...(system === '' ? [] : [`SYSTEM ${JSON.stringify(system)}`]),
  ].join('\n');
}

/**
 * DELETE /api/delete: removes a model and its files. Throws a 404 `ApiError`, and a 400 for one that can't be removed.
 */
export async function ollamaDelete(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readOllamaModelRequest(context, request, modelSchema);
  if (!context.remover) throw notSupportedHere('This Paddock can not remove models.');
  await context.remover.remove(model.id);
  return jsonReply({ status: 'success' });
}

/** POST /api/copy, /api/create and /api/push. Throws a 501 `ApiError`. */
export function refuseToMake(): never {
  throw notSupportedHere(
    'Models can not be copied, created or pushed here: a folder with a GGUF and a model.json makes one.',
  );
}
