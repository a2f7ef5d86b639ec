import type { ModelCard } from '../../contract/models/model.ts';
import type { LoadedModel } from '../../contract/residency.ts';
import { SAMPLING_FIELDS } from '../../contract/sampling.ts';
import { sizeLabel } from '../../utils/size-label.ts';
import { capabilitiesOf, contextLengthOf } from '../models/model-object.ts';

/** Returns Ollama's summary of a model. */
export function toDetails({ format, architecture = '', parameterCount, quantization = 'unknown' }: ModelCard) {
  return {
    parent_model: '',
    format,
    family: architecture,
    families: architecture === '' ? [] : [architecture],
    parameter_size: sizeLabel(parameterCount),
    quantization_level: quantization,
  };
}

/** Returns the fields of a model in Ollama's lists. */
export async function toListed(card: ModelCard) {
  return {
    name: card.id,
    model: card.id,
    modified_at: modifiedAt(card),
    size: card.metadata.size,
    digest: await digestOf(card),
    details: toDetails(card),
  };
}

/** Returns when a model was made, by the time of its oldest file: `2026-11-27T16:46:14.000Z`. */
export function modifiedAt({ created }: ModelCard): string {
  return new Date(created * 1000).toISOString();
}

/**
 * Returns the sha256 of the model's first file, in hex. If it is unknown, returns the hash of id, size and time:
 * clients only need it to distinguish models and to notice a change.
 */
export async function digestOf({ id, created, sources, metadata: { size } }: ModelCard): Promise<string> {
  return sources[0]?.sha256 ?? sha256(`${id}\n${size}\n${created}`);
}

/** Returns the SHA-256 of a text in UTF-8, as 64 hex digits. */
export async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the capabilities of a model, by Ollama's names. */
export function toCapabilities(card: ModelCard): string[] {
  const { vision, audio, tools, reasoning, embedding, rerank } = capabilitiesOf(card);
  const words = {
    completion: !embedding && !rerank,
    embedding,
    tools,
    vision,
    audio,
    thinking: reasoning,
  };
  return Object.entries(words).flatMap(([word, has]) => (has ? [word] : []));
}

/**
 * Returns the `model_info` of POST /api/show. Clients read `context_length` as the context window, so it is the window
 * that requests get here, and not the window of the training.
 */
export function toModelInfo(card: ModelCard, loaded: LoadedModel | undefined): Record<string, unknown> {
  const { architecture = '', name, parameterCount } = card;
  return {
    'general.architecture': architecture,
    'general.basename': name,
    'general.parameter_count': parameterCount,
    [`${architecture}.context_length`]: contextLengthOf(card, loaded),
  };
}

/** Returns the model's defaults in the form of a Modelfile: lines with a name and a value. */
export function toParameterLines(card: ModelCard, loaded: LoadedModel | undefined): string[] {
  const numbers = Object.values(SAMPLING_FIELDS).flatMap(({ name, modelDefaults }) => {
    const value = modelDefaults
      .map((place): unknown => Reflect.get(card[place], name))
      .find((set) => set !== undefined);
    return value === undefined ? [] : [`${name} ${value}`];
  });
  const { max_tokens: most, stop = [] } = card.parameters;
  return [
    `num_ctx ${contextLengthOf(card, loaded)}`,
    ...(most === undefined ? [] : [`num_predict ${most}`]),
    ...numbers,
    ...stop.map((text) => `stop ${JSON.stringify(text)}`),
  ];
}
