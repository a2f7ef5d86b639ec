import * as v from 'valibot';
import { between, booleanField, integer, object, oneOf, record, text } from './fields.ts';

const textPart = v.looseObject({ type: v.literal('text'), text });
const imagePart = v.looseObject({
  type: v.literal('image_url'),
  image_url: v.looseObject({ url: text }, 'must be an object with url'),
});
const audioPart = v.looseObject({
  type: v.literal('input_audio'),
  input_audio: v.looseObject({ data: text, format: oneOf(['wav', 'mp3']) }, 'must be an object with data and format'),
});

const contentPart = v.variant('type', [textPart, imagePart, audioPart], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object' : 'must be one of text, image_url, input_audio',
);

const content = v.union([v.string(), v.array(contentPart)], (issue) =>
  Array.isArray(issue.input) ? 'has a content part that is not valid' : 'must be a string or an array of content parts',
);

const toolCall = v.looseObject(
  {
    id: text,
    type: v.optional(v.literal('function', 'must be function'), 'function'),
    function: v.looseObject({ name: text, arguments: text }, 'must be an object with name and arguments'),
  },
  'must be an object with id, type and function',
);

const message = v.looseObject(
  {
    role: oneOf(['system', 'developer', 'user', 'assistant', 'tool']),
    content: v.nullish(content),
    name: v.nullish(text),
    tool_calls: v.nullish(v.array(toolCall, 'must be an array of tool calls')),
    tool_call_id: v.nullish(text),
  },
  'must be an object with role and content',
);

const tool = v.looseObject(
  {
    type: v.literal('function', 'must be function, the only supported type'),
    function: v.looseObject(
      {
        name: text,
        description: v.nullish(text),
        parameters: v.nullish(record('must be a JSON schema object', v.unknown())),
      },
      'must be an object with name, description and parameters',
    ),
  },
  'must be an object with type and function',
);

const toolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required']),
    v.looseObject({
      type: v.literal('function', 'must be function'),
      function: object({ name: text }, 'must be an object with name'),
    }),
  ],
  'must be none, auto, required or {"type": "function", "function": {"name": ...}}',
);

const stopSequence = v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'));
const stopMessage = 'must be a string or an array of at most 4 non-empty strings';
const stop = v.union(
  [stopSequence, v.pipe(v.array(stopSequence), v.maxLength(4, 'must have at most 4 stop sequences'))],
  stopMessage,
);

const tokenId = v.pipe(v.string(), v.regex(/^\d+$/, 'must have token ids as its keys'));
const logitBias = record('must be an object of token ids and biases', between(-100, 100), tokenId);

/**
 * The body of POST /v1/chat/completions: every field of the API contract and of OpenAI that has a meaning here,
 * with its type and range. A null optional field counts as absent. Fields not named here pass through.
 */
export const chatRequestSchema = v.looseObject(
  {
    model: v.pipe(text, v.nonEmpty('must not be empty')),
    messages: v.pipe(v.array(message, 'must be an array of messages'), v.minLength(1, 'must have at least 1 message')),
    temperature: v.nullish(between(0, 2)),
    max_tokens: v.nullish(integer(1)),
    max_completion_tokens: v.nullish(integer(1)),
    top_p: v.nullish(between(0, 1)),
    top_k: v.nullish(integer(-1)),
    min_p: v.nullish(between(0, 1)),
    stream: v.nullish(booleanField),
    stream_options: v.nullish(object({ include_usage: v.nullish(booleanField) }, 'must be an object')),
    stop: v.nullish(stop),
    presence_penalty: v.nullish(between(-2, 2)),
    frequency_penalty: v.nullish(between(-2, 2)),
    repeat_penalty: v.nullish(between(0.01, 100)),
    repeat_last_n: v.nullish(integer(-1)),
    seed: v.nullish(integer(Number.MIN_SAFE_INTEGER)),
    tools: v.nullish(v.array(tool, 'must be an array of tools')),
    tool_choice: v.nullish(toolChoice),
    parallel_tool_calls: v.nullish(booleanField),
    dynatemp_range: v.nullish(between(0, 100)),
    dynatemp_exponent: v.nullish(between(0, 100)),
    typical_p: v.nullish(between(0, 1)),
    mirostat: v.nullish(v.picklist([0, 1, 2], 'must be 0, 1 or 2')),
    mirostat_tau: v.nullish(between(0, 100)),
    mirostat_eta: v.nullish(between(0, 100)),
    logit_bias: v.nullish(logitBias),
    cache_prompt: v.nullish(booleanField),
    n: v.nullish(integer(1, 8)),
    logprobs: v.nullish(booleanField),
    top_logprobs: v.nullish(integer(0, 20)),
    response_format: v.nullish(
      object({ type: oneOf(['text', 'json_object', 'json_schema']) }, 'must be an object with type'),
    ),
    chat_template_kwargs: v.nullish(record('must be an object', v.unknown())),
    reasoning_effort: v.nullish(oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
    return_progress: v.nullish(booleanField),
    context_overflow: v.nullish(oneOf(['length', 'error'])),
  },
  'must be a JSON object',
);

/** A validated chat request. */
export type ChatRequest = v.InferOutput<typeof chatRequestSchema>;
