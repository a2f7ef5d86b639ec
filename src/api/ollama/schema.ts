import * as v from 'valibot';
import { SAMPLING_FIELDS, type SamplingName } from '../../contract/sampling.ts';
import {
  booleanField,
  integerField,
  list,
  nonEmptyText,
  objectField,
  oneOf,
  plainObject,
  record,
  textField,
} from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { adaptersField } from '../fields/lora.ts';
import { samplingEntries } from '../fields/sampling.ts';

/** More messages than any client sends. Each of them takes time before the model runs. */
const MOST_MESSAGES = 10_000;
const MOST_TOOL_CALLS = 1024;
const MOST_TOOLS = 1024;
const MOST_IMAGES = 32;
const MOST_STOPS = 64;

/** The fields for the model, of which each body has one. Older clients use `name`. */
const named = { model: v.nullish(nonEmptyText), name: v.nullish(nonEmptyText) };

const whole = 'must be a JSON object';

const samplingNumbers = Object.fromEntries(
  Object.values(SAMPLING_FIELDS).map(({ name }) => [name, samplingEntries[name]]),
) as Pick<typeof samplingEntries, SamplingName>;

/** The settings of Ollama's `options` that have a meaning here. */
const optionEntries = {
  ...samplingNumbers,
  seed: v.nullish(integerField(Number.MIN_SAFE_INTEGER)),
  stop: v.nullish(
    v.union(
      [textField, list(textField, MOST_STOPS, 'stop sequences', 'must be an array of strings')],
      'must be a string or an array of strings',
    ),
  ),
  num_predict: v.nullish(integerField(-2)),
  penalize_newline: v.nullish(v.literal(true, 'must be true: line ends count as all tokens do')),
  tfs_z: v.nullish(v.literal(1, 'must be 1, which is neutral: the sampler is not there')),
} satisfies v.ObjectEntries;

/**
 * Settings for loading a model. They have no effect: the server's own flags decide. They are accepted, because clients
 * send them with every request, and none of them changes a reply.
 */
const LOADING = [
  'embedding_only',
  'f16_kv',
  'logits_all',
  'low_vram',
  'main_gpu',
  'num_batch',
  'num_ctx',
  'num_gpu',
  'num_keep',
  'num_thread',
  'numa',
  'use_mlock',
  'use_mmap',
  'vocab_only',
];

/** Unknown options pass through. */
const options = objectField(optionEntries, 'must be an object');

/** All options that Paddock or Ollama defines. */
export const KNOWN_OPTIONS = new Set([...Object.keys(optionEntries), ...LOADING]);

const images = list(nonEmptyText, MOST_IMAGES, 'images', 'must be an array of images in base64');

const toolCall = objectField(
  {
    id: v.nullish(textField),
    function: objectField(
      { name: nonEmptyText, arguments: v.nullish(plainObject('must be an object')) },
      'must be an object with name and arguments',
    ),
  },
  'must be an object with function',
);

const message = objectField(
  {
    role: oneOf(['system', 'user', 'assistant', 'tool']),
    content: v.nullish(textField),
    thinking: v.nullish(textField),
    images: v.nullish(images),
    tool_calls: v.nullish(list(toolCall, MOST_TOOL_CALLS, 'tool calls', 'must be an array of tool calls')),
    tool_name: v.nullish(textField),
    tool_call_id: v.nullish(textField),
  },
  'must be an object with role and content',
);

const tool = objectField(
  {
    type: v.nullish(v.literal('function', 'must be function, the only supported type')),
    function: objectField(
      {
        name: nonEmptyText,
        description: v.nullish(textField),
        parameters: v.nullish(record('must be a JSON schema object', v.unknown())),
      },
      'must be an object with name, description and parameters',
    ),
  },
  'must be an object with type and function',
);

/** The fields that /api/chat and /api/generate share. */
const replyEntries = {
  ...named,
  stream: v.nullish(booleanField),
  format: v.nullish(
    v.union([v.picklist(['', 'json']), plainObject('')], 'must be "json" or an object that is a JSON schema'),
  ),
  think: v.nullish(
    v.union([v.boolean(), v.picklist(['low', 'medium', 'high'])], 'must be a boolean, low, medium or high'),
  ),
  options: v.nullish(options),
  lora: v.nullish(adaptersField),
  keep_alive: v.nullish(keepAliveField),
  logprobs: v.nullish(booleanField),
  top_logprobs: v.nullish(integerField(0, 20)),
  truncate: v.nullish(v.literal(false, 'must be false: a prompt is never shortened')),
  shift: v.nullish(v.literal(false, 'must be false: nothing of a conversation is dropped while the reply is written')),
} satisfies v.ObjectEntries;

/** The body of POST /api/chat. An optional field that is null counts as absent. Other fields pass through. */
export const chatSchema = v.looseObject(
  {
    ...replyEntries,
    messages: v.nullish(list(message, MOST_MESSAGES, 'messages', 'must be an array of messages')),
    tools: v.nullish(list(tool, MOST_TOOLS, 'tools', 'must be an array of tools')),
  },
  whole,
);

/** The body of POST /api/generate. */
export const generateSchema = v.looseObject(
  {
    ...replyEntries,
    prompt: v.nullish(textField),
    suffix: v.nullish(textField),
    system: v.nullish(textField),
    images: v.nullish(images),
    raw: v.nullish(booleanField),
    template: v.nullish(v.literal('', "must be empty: the template is the model's own, and with raw there is none")),
    context: v.nullish(
      v.pipe(
        v.array(v.number(), 'must be an array'),
        v.maxLength(0, 'must be empty: /api/chat takes the messages of a conversation'),
      ),
    ),
  },
  whole,
);

const texts = list(textField, 2048, 'texts', 'must be an array of strings');

/** The body of POST /api/embed. */
export const embedSchema = v.looseObject(
  {
    ...named,
    input: v.union([textField, texts], 'must be a string or an array of strings'),
    truncate: v.nullish(booleanField),
    dimensions: v.nullish(integerField(1)),
    options: v.nullish(options),
    keep_alive: v.nullish(keepAliveField),
  },
  whole,
);

/** The body of POST /api/embeddings, the older form of /api/embed. */
export const embeddingsSchema = v.looseObject(
  { ...named, prompt: textField, options: v.nullish(options), keep_alive: v.nullish(keepAliveField) },
  whole,
);

/** The body of POST /api/show and DELETE /api/delete. */
export const modelSchema = v.looseObject(named, whole);

/** The body of POST /api/pull. */
export const pullSchema = v.looseObject({ ...named, stream: v.nullish(booleanField) }, whole);

export type OllamaChatBody = v.InferOutput<typeof chatSchema>;
export type OllamaGenerateBody = v.InferOutput<typeof generateSchema>;
export type OllamaOptions = NonNullable<OllamaChatBody['options']>;
