import { showsReasoning, supportsTools } from '../../chat/formats/index.ts';
import type { EngineInfo } from '../../contract/engine-info.ts';
import type { Model, ModelCard } from '../../contract/models/model.ts';
import type { LoadedModel } from '../../contract/residency.ts';

/** The last second of the year 9999, in Unix time: RFC 3339 has no later one, but a `model.json` may. */
const LAST_SECOND = 253_402_300_799;

/** Builds the Model object from the card and, once the model is loaded, from the facts about its engine. */
export function toModel(card: ModelCard, loaded: LoadedModel | undefined): Model {
  const { trainedContextLength, parameterCount, audioModel, rankingModel, architecture, quantization, ...fields } =
    card;
  const engine = loaded?.engine;
  const contextLength = contextLengthOf(card, loaded);
  return {
    ...fields,
    object: 'model',
    type: 'model',
    display_name: card.name,
    created_at: toRfc3339(card.created),
    // The runtime is not known until the model is loaded.
    engine: engine?.runtime ?? 'llama.cpp',
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
    capabilities: capabilitiesOf(card),
    loaded: engine !== undefined,
    backend: engine?.backend ?? null,
  };
}

/** For each card the JSON text of its last Model object in a list, and the engine that it was made with. */
const listed = new WeakMap<ModelCard, { engine: EngineInfo | undefined; text: string }>();

/**
 * Returns the Model object for lists as JSON text, without its sources. Clients request the list often, so the text is
 * kept as long as card and engine are the same objects.
 */
export function listedModel(card: ModelCard, loaded: LoadedModel | undefined): string {
  const known = listed.get(card);
  if (known && known.engine === loaded?.engine) return known.text;
  const { sources: _, ...model } = toModel(card, loaded);
  const text = JSON.stringify(model);
  listed.set(card, { engine: loaded?.engine, text });
  return text;
}

/** Returns the context window of a model in tokens: that of its engine or, before it is loaded, the expected one. */
export function contextLengthOf(card: ModelCard, loaded: LoadedModel | undefined): number {
  return loaded?.engine.contextLength ?? card.settings.ctx_len ?? card.trainedContextLength;
}

/** Returns the capabilities of a model, from its files alone. */
export function capabilitiesOf({ settings, audioModel, rankingModel }: ModelCard): Model['capabilities'] {
  const chats = !settings.embedding && !rankingModel;
  const template = chats ? (settings.prompt_template ?? '') : '';
  return {
    vision: settings.vision_model ?? false,
    audio: audioModel,
    tools: supportsTools(template),
    reasoning: showsReasoning(template),
    embedding: settings.embedding,
    rerank: rankingModel,
  };
}

function toRfc3339(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1000).toISOString();
}
