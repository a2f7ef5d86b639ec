import { detectFormat, supportsTools } from '../../chat/formats/index.ts';
import type { Model, ModelCard } from '../../model.ts';
import type { LoadedModel } from '../../runner.ts';

/** The last second of the year 9999, in Unix time: RFC 3339 has no later one, but a `model.json` may. */
const LAST_SECOND = 253_402_300_799;

/** Builds the Model object from the card and, once the model is loaded, from the facts about its engine. */
export function toModel(card: ModelCard, loaded: LoadedModel | undefined): Model {
  const { trainedContextLength, parameterCount, audioModel, rankingModel, ...fields } = card;
  const engine = loaded?.engine;
  const chats = !card.settings.embedding && !rankingModel;
  const template = chats ? (card.settings.prompt_template ?? '') : '';
  const contextLength = engine?.contextLength ?? card.settings.ctx_len ?? trainedContextLength;
  return {
    ...fields,
    object: 'model',
    type: 'model',
    display_name: card.name,
    created_at: toRfc3339(card.created),
    // Only wllama runs models with a projector. The runtime of other models is not known until they are loaded.
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

function toRfc3339(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString();
}
