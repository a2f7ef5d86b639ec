import { detectFormat, supportsTools } from '../../chat/formats/index.ts';
import { modelNotFound, notSupportedHere } from '../../errors.ts';
import type { Model, ModelCard } from '../../model.ts';
import type { LoadedModel } from '../../runner.ts';
import type { ApiContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';

/** GET /v1/models */
export function listModels({ catalogue, runner }: ApiContext): ApiReply {
  const loaded = new Map(runner.loaded().map((model) => [model.id, model]));
  const data = catalogue.list().map((card) => {
    const { sources: _, ...model } = toModel(card, loaded.get(card.id));
    return model;
  });
  return jsonReply({ object: 'list', data });
}

/** GET /v1/models/{id}. Throws a 404 `ApiError`. */
export function retrieveModel({ catalogue, runner }: ApiContext, id: string): ApiReply {
  const card = catalogue.find(id);
  if (!card) throw modelNotFound(id);
  return jsonReply(
    toModel(
      card,
      runner.loaded().find((model) => model.id === id),
    ),
  );
}

/** DELETE /v1/models/{id}: removes a model and its files. Throws a 404 `ApiError`, and a 400 for one that has to stay. */
export async function deleteModel({ catalogue, remover }: ApiContext, id: string): Promise<ApiReply> {
  if (!catalogue.find(id)) throw modelNotFound(id);
  if (!remover) throw notSupportedHere('This Paddock can not remove models.');
  await remover.remove(id);
  return jsonReply({ id, object: 'model', deleted: true });
}

/** The Model object: the card's facts, and those of the engine once the model is loaded. */
export function toModel(card: ModelCard, loaded: LoadedModel | undefined): Model {
  const { trainedContextLength, parameterCount, audioModel, rankingModel, ...fields } = card;
  const engine = loaded?.engine;
  const chats = !card.settings.embedding && !rankingModel;
  const template = chats ? (card.settings.prompt_template ?? '') : '';
  const contextLength = engine?.contextLength ?? card.settings.ctx_len ?? trainedContextLength;
  return {
    ...fields,
    object: 'model',
    // Nothing else runs a model with a projector.
    engine: engine?.runtime ?? (card.settings.mmproj === undefined ? 'llama.cpp' : 'wllama'),
    settings: {
      ...card.settings,
      ctx_len: contextLength,
      ...(engine && { ngl: engine.gpuLayers, cpu_threads: engine.threads, n_parallel: engine.slots }),
    },
    context_length: contextLength,
    meta: {
      n_ctx: contextLength,
      n_ctx_train: trainedContextLength,
      n_params: parameterCount,
      size: card.metadata.size,
    },
    capabilities: {
      vision: card.settings.vision_model ?? false,
      audio: audioModel,
      tools: supportsTools(template),
      reasoning: detectFormat(template).reasoning.some(({ open }) => template.includes(open)),
      embedding: card.settings.embedding,
      rerank: rankingModel,
    },
    loaded: engine !== undefined,
    backend: engine?.backend ?? null,
  };
}
