import * as v from 'valibot';
import {
  between,
  booleanField,
  integerField,
  nonEmptyText,
  oneOf,
  plainObject,
  textField,
  validate,
} from '../api/fields/fields.ts';
import { adapterScale, MOST_ADAPTERS } from '../api/fields/lora.ts';
import { samplingNumber } from '../api/fields/sampling.ts';
import { createChatTemplate } from '../chat/template.ts';
import { type DefaultPlace, SAMPLING_FIELDS, type SamplingField, type SamplingNameIn } from '../contract/sampling.ts';
import { ALL_EXPERTS, KV_TYPES, MOST_GPUS, SPLIT_MODES } from '../engine/engine.ts';
import { isModelId, MODEL_ID_RULE } from './model-id.ts';

/** Makes schema entries for the sampling fields whose default a model may set in this place. */
function samplingDefaults<P extends DefaultPlace>(place: P) {
  const fields: SamplingField[] = Object.values(SAMPLING_FIELDS);
  const entries = fields
    .filter(({ modelDefaults }) => modelDefaults.includes(place))
    .map((field) => [field.name, v.exactOptional(samplingNumber(field))]);
  return Object.fromEntries(entries) as Record<
    SamplingNameIn<P>,
    v.ExactOptionalSchema<v.GenericSchema<number>, undefined>
  >;
}

const promptTemplate = v.pipe(
  textField,
  v.check(isChatTemplate, 'must be a Jinja template that writes the messages, as chat_template in a GGUF is'),
);

const adapters = v.pipe(
  list(object({ id: nonEmptyText, scale: v.exactOptional(adapterScale, 1) }), MOST_ADAPTERS),
  v.check((named) => new Set(named.map(({ id }) => id)).size === named.length, 'must name each adapter once'),
);

const settings = {
  ctx_len: v.exactOptional(integerField(8, 16_777_216)),
  ngl: v.exactOptional(integerField(0, 65_536)),
  cpu_moe: v.exactOptional(booleanField),
  n_cpu_moe: v.exactOptional(integerField(0, ALL_EXPERTS)),
  split_mode: v.exactOptional(oneOf([...SPLIT_MODES])),
  tensor_split: v.exactOptional(list(between(0, 65_536), MOST_GPUS)),
  main_gpu: v.exactOptional(integerField(0, MOST_GPUS - 1)),
  cpu_threads: v.exactOptional(integerField(1, 1024)),
  n_parallel: v.exactOptional(integerField(1, 256)),
  kv_type: v.exactOptional(oneOf([...KV_TYPES])),
  prompt_template: v.exactOptional(promptTemplate),
  system_prompt: v.exactOptional(textField),
  mmproj: v.exactOptional(nonEmptyText),
  draft_model: v.exactOptional(nonEmptyText),
  mtp: v.exactOptional(booleanField),
  lora: v.exactOptional(adapters),
  ...samplingDefaults('settings'),
};

const parameters = {
  ...samplingDefaults('parameters'),
  max_tokens: v.exactOptional(integerField(1)),
  stream: v.exactOptional(booleanField),
  stop: v.exactOptional(list(nonEmptyText, 4)),
};

/** The settings of a profile: those that need no other engine. */
const profileSettings = { system_prompt: v.exactOptional(textField), ...samplingDefaults('settings') };

/** The most names that a model.json may give, of each kind. */
const MOST_NAMES = 64;

const name = v.pipe(nonEmptyText, v.check(isModelId, MODEL_ID_RULE));

const profiles = v.pipe(
  plainObject('must be an object'),
  v.check((value) => Object.keys(value).length <= MOST_NAMES, `must have at most ${MOST_NAMES} names`),
  v.check((value) => Object.keys(value).every(isModelId), `must have names, and each ${MODEL_ID_RULE}`),
  v.record(
    v.string(),
    object({
      settings: v.exactOptional(object(profileSettings), {}),
      parameters: v.exactOptional(object(parameters), {}),
    }),
  ),
);

const metadata = {
  author: v.exactOptional(textField),
  tags: v.exactOptional(list(nonEmptyText, 256)),
  cover: v.exactOptional(textField),
};

const source = {
  filename: nonEmptyText,
  url: textField,
  sha256: v.exactOptional(v.pipe(textField, v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'))),
  size: v.exactOptional(integerField(0)),
};

const overrides = {
  id: v.exactOptional(
    v.pipe(nonEmptyText, v.regex(/^[^\s\p{C}]+$/u, 'must be without spaces'), v.check(isModelId, MODEL_ID_RULE)),
  ),
  aliases: v.exactOptional(list(name, MOST_NAMES)),
  profiles: v.exactOptional(profiles),
  created: v.exactOptional(integerField(0)),
  owned_by: v.exactOptional(textField),
  name: v.exactOptional(textField),
  version: v.exactOptional(textField),
  description: v.exactOptional(textField),
  sources: v.exactOptional(list(object(source), 10_000)),
  settings: v.exactOptional(object(settings)),
  parameters: v.exactOptional(object(parameters)),
  metadata: v.exactOptional(object(metadata)),
};

const schema = object(overrides);

/** The fields of the Model object that a model.json sets. They replace what the GGUF says. */
export type ModelOverrides = v.InferOutput<typeof schema>;

/**
 * Reads the text of a model.json. `unknown` lists the fields that can't be set there. Throws an error that names the
 * first wrong field and the value it must have.
 */
export function parseModelJson(json: string): { overrides: ModelOverrides; unknown: string[] } {
  const input = parseJson(json);
  return { overrides: validate(schema, input, 'The file'), unknown: unknownFields(input) };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`The file must be JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Makes the schema of an object. Unknown fields are dropped. */
function object<E extends v.ObjectEntries>(entries: E) {
  const message = 'must be an object';
  return v.pipe(plainObject(message), v.object(entries, message));
}

function list<I extends v.GenericSchema>(item: I, most: number) {
  return v.pipe(v.array(item, 'must be an array'), v.maxLength(most, `must have at most ${most} items`));
}

function unknownFields(input: unknown): string[] {
  const nested: Record<string, object> = { settings, parameters, metadata };
  return [
    ...strangers(input, overrides),
    ...Object.entries(nested).flatMap(([name, known]) =>
      strangers((input as Record<string, unknown>)[name], known).map((field) => `${name}.${field}`),
    ),
    ...Object.entries((input as { profiles?: Record<string, object> }).profiles ?? {}).flatMap(([name, profile]) =>
      unknownOfProfile(profile).map((field) => `profiles.${name}.${field}`),
    ),
  ];
}

function unknownOfProfile(profile: { settings?: object; parameters?: object }): string[] {
  return [
    ...strangers(profile, { settings, parameters }),
    ...strangers(profile.settings, profileSettings).map((field) => `settings.${field}`),
    ...strangers(profile.parameters, parameters).map((field) => `parameters.${field}`),
  ];
}

/** Returns the fields of an object that are not known. */
function strangers(value: unknown, known: object): string[] {
  return Object.keys(value ?? {}).filter((field) => !Object.hasOwn(known, field));
}

/**
 * True if the text is Jinja that uses the messages. A template in another syntax would appear in the prompt unchanged.
 */
function isChatTemplate(template: string): boolean {
  try {
    createChatTemplate(template, { bos: '', eos: '' });
    return template.includes('messages');
  } catch {
    return false;
  }
}
