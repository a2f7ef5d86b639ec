import type { ModelCard } from '../../contract/models/model.ts';
import type { LoadedModel } from '../../contract/residency.ts';
import { SAMPLING_FIELDS } from '../../contract/sampling.ts';
import { sizeLabel } from '../../utils/size-label.ts';
import { capabilitiesOf, contextLengthOf } from '../models/model-object.ts';

/** Ollama's summary of a model. */
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

/** The fields that lists have of a model. */
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

export function modifiedAt({ created }: ModelCard): string {
  return new Date(created * 1000).toISOString();
}

/**
 * The sha256 of the model's first file, in hex. Where it is not known, that of the id, size and time: clients only need it to
 * tell models apart and to see that one has changed.
 */
export async function digestOf({ id, created, sources, metadata: { size } }: ModelCard): Promise<string> {
  return sources[0]?.sha256 ?? sha256(`${id}\n${size}\n${created}`);
}

export async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What a model can do, in Ollama's words. */
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
 * What POST /api/show tells of the model's file. Clients take `context_length` for the window, so it is the one that requests
 * get here, not the one of the training.
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

/** The model's defaults, in the form of a Modelfile: a name and a value for each line. */
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
