import * as v from 'valibot';
import { booleanField, integer, list, nonEmptyText, object, oneOf, record, text } from '../fields/fields.ts';
import { samplingEntries } from '../fields/sampling.ts';

/** More than any conversation has; each costs work before the model gets to it. */
const MOST_MESSAGES = 10_000;
const MOST_PARTS = 4096;
const MOST_TOOL_CALLS = 1024;
const MOST_TOOLS = 1024;

/** What belongs to a part of another type would be lost. */
const noPayload = v.optional(v.null('must not be there: a part has the payload of its type alone'));

const textPart = v.looseObject({ type: v.literal('text'), text, image_url: noPayload, input_audio: noPayload });
const imagePart = v.looseObject({
  type: v.literal('image_url'),
  image_url: object(
    { url: nonEmptyText, detail: v.nullish(oneOf(['auto', 'low', 'high'])) },
    'must be an object with url',
  ),
  text: noPayload,
  input_audio: noPayload,
});
const audioPart = v.looseObject({
  type: v.literal('input_audio'),
  input_audio: object({ data: nonEmptyText, format: oneOf(['wav', 'mp3']) }, 'must be an object with data and format'),
  text: noPayload,
  image_url: noPayload,
});

const contentPart = v.variant('type', [textPart, imagePart, audioPart], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object' : 'must be one of text, image_url, input_audio',
);

const content = v.union([v.string(), list(contentPart, MOST_PARTS, 'parts', 'must be an array')], (issue) =>
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
    tool_calls: v.nullish(list(toolCall, MOST_TOOL_CALLS, 'tool calls', 'must be an array of tool calls')),
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

const jsonSchema = object(
  {
    name: v.nullish(text),
    strict: v.nullish(booleanField),
    schema: v.nullish(record('must be a JSON schema object', v.unknown())),
  },
  'must be an object with name and schema',
);

const responseFormat = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('text') }),
    v.looseObject({ type: v.literal('json_object') }),
    v.looseObject({ type: v.literal('json_schema'), json_schema: jsonSchema }),
  ],
  (issue) =>
    issue.expected.startsWith('Object')
      ? 'must be an object with type'
      : 'must be one of text, json_object, json_schema',
);

/**
 * The body of POST /v1/chat/completions, with the type and range of each field: all fields that the API documents, and
 * all fields of OpenAI that have a meaning here. An optional field that is null counts as absent. Other fields pass
 * through.
 */
export const chatRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    messages: v.pipe(
      list(message, MOST_MESSAGES, 'messages', 'must be an array of messages'),
      v.minLength(1, 'must have at least 1 message'),
    ),
    ...samplingEntries,
    max_tokens: v.nullish(integer(1)),
    max_completion_tokens: v.nullish(integer(1)),
    tools: v.nullish(list(tool, MOST_TOOLS, 'tools', 'must be an array of tools')),
    tool_choice: v.nullish(toolChoice),
    parallel_tool_calls: v.nullish(booleanField),
    logprobs: v.nullish(booleanField),
    top_logprobs: v.nullish(integer(0, 20)),
    response_format: v.nullish(responseFormat),
    chat_template_kwargs: v.nullish(record('must be an object', v.unknown())),
    reasoning_effort: v.nullish(oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
  },
  'must be a JSON object',
);

/** A validated chat request. */
export type ChatRequest = v.InferOutput<typeof chatRequestSchema>;
