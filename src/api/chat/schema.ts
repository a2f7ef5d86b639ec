import * as v from 'valibot';
import { EFFORTS } from '../../contract/sampling.ts';
import {
  booleanField,
  integerField,
  list,
  nonEmptyText,
  objectField,
  oneOf,
  record,
  textField,
} from '../fields/fields.ts';
import { keepAliveField } from '../fields/keep-alive.ts';
import { replyFormEntries, schemaObject } from '../fields/reply-form.ts';
import { samplingEntries, tokenLimit } from '../fields/sampling.ts';
import { message } from './message-schema.ts';
import { functionChoice, functions, toolChoice, tools } from './tool-schema.ts';

/** More messages than any client sends. Each of them takes time before the model runs. */
const MOST_MESSAGES = 10_000;

const jsonSchema = objectField(
  {
    name: v.nullish(textField),
    strict: v.nullish(booleanField),
    schema: v.nullish(schemaObject),
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

/** Names that other servers and clients have for fields of this API. */
const synonyms = {
  enable_thinking: v.nullish(booleanField),
  /** The most tokens of a block of reasoning; -1 for no limit. The names of Qwen's API, llama-server and vLLM. */
  thinking_budget: v.nullish(integerField(-1)),
  thinking_budget_tokens: v.nullish(integerField(-1)),
  reasoning_budget_tokens: v.nullish(integerField(-1)),
  reasoning_budget: v.nullish(integerField(-1)),
  thinking_token_budget: v.nullish(integerField(-1)),
  think: v.nullish(v.union([v.boolean(), v.picklist(EFFORTS)], `must be a boolean or one of ${EFFORTS.join(', ')}`)),
  thinking: v.nullish(
    objectField(
      {
        type: v.nullish(oneOf(['enabled', 'disabled', 'adaptive', 'auto'])),
        budget_tokens: v.nullish(integerField(0)),
      },
      'must be an object',
    ),
  ),
  reasoning: v.nullish(
    objectField(
      { effort: v.nullish(oneOf(EFFORTS)), enabled: v.nullish(booleanField), max_tokens: v.nullish(integerField(0)) },
      'must be an object',
    ),
  ),
} satisfies v.ObjectEntries;

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
    max_completion_tokens: v.nullish(tokenLimit),
    tools: v.nullish(tools),
    tool_choice: v.nullish(toolChoice),
    parallel_tool_calls: v.nullish(booleanField),
    functions: v.nullish(functions),
    function_call: v.nullish(functionChoice),
    logprobs: v.nullish(booleanField),
    top_logprobs: v.nullish(integerField(0, 20)),
    response_format: v.nullish(responseFormat),
    ...replyFormEntries,
    chat_template_kwargs: v.nullish(record('must be an object', v.unknown())),
    reasoning_effort: v.nullish(oneOf(EFFORTS)),
    /** Where reasoning is: in `reasoning_content`, or with `none` in the content. The name is llama-server's. */
    reasoning_format: v.nullish(oneOf(['auto', 'deepseek', 'none'])),
    /** True if the reply goes on with the last message. */
    continue_final_message: v.nullish(booleanField),
    add_generation_prompt: v.nullish(booleanField),
    ...synonyms,
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** A validated chat request. */
export type ChatRequest = v.InferOutput<typeof chatRequestSchema>;
