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
import { samplingEntries } from '../fields/sampling.ts';
import { mcpTool } from '../mcp/schema.ts';
import { input } from './items.ts';

/** More tools than any client sends. Each of them takes time before the model runs. */
const MOST_TOOLS = 1024;

const jsonSchema = record('must be a JSON schema object', v.unknown());

const functionTool = v.looseObject({
  type: v.literal('function'),
  name: nonEmptyText,
  description: v.nullish(textField),
  parameters: v.nullish(jsonSchema),
  strict: v.nullish(booleanField),
});

/** Tools that OpenAI's servers run themselves, groups of tools, and types that are yet to come. */
const otherTool = v.looseObject({ type: v.pipe(textField, v.notValues(['function', 'mcp'])) });

const tool = v.variant('type', [functionTool, mcpTool, otherTool], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object' : 'must be a string',
);

const toolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required']),
    v.looseObject({ type: v.literal('function'), name: textField }),
    v.looseObject({ type: v.literal('mcp'), server_label: nonEmptyText, name: v.nullish(textField) }),
    v.looseObject({
      type: v.literal('allowed_tools'),
      mode: oneOf(['auto', 'required']),
      tools: list(
        v.looseObject({ type: textField, name: v.nullish(textField), server_label: v.nullish(textField) }),
        MOST_TOOLS,
        'tools',
        'must be an array of tools',
      ),
    }),
  ],
  'must be none, auto, required, {"type": "function", "name": ...}, {"type": "mcp", "server_label": ...} or {"type": "allowed_tools", "mode": ..., "tools": ...}',
);

const format = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('text') }),
    v.looseObject({ type: v.literal('json_object') }),
    v.looseObject({
      type: v.literal('json_schema'),
      name: v.nullish(textField),
      schema: jsonSchema,
      strict: v.nullish(booleanField),
    }),
  ],
  (issue) =>
    issue.expected.startsWith('Object')
      ? 'must be an object with type'
      : 'must be one of text, json_object, json_schema',
);

/**
 * A response has one choice, its own limit, its own events for what happens, and its own answer to a prompt that does
 * not fit.
 */
const {
  n: _n,
  best_of: _b,
  max_tokens: _m,
  n_predict: _p,
  return_progress: _r,
  context_overflow: _c,
  ...ownSampling
} = samplingEntries;

/** Fields that are taken and only say how a reply may be made, or come back in it. */
const hints = {
  background: v.nullish(booleanField),
  client_metadata: v.nullish(v.unknown()),
  context_management: v.nullish(v.unknown()),
  metadata: v.nullish(record('must be an object of strings', textField)),
  prompt_cache_options: v.nullish(v.unknown()),
  prompt_cache_retention: v.nullish(v.unknown()),
  safety_identifier: v.nullish(textField),
  service_tier: v.nullish(v.unknown()),
  truncation: v.nullish(oneOf(['auto', 'disabled'])),
  user: v.nullish(textField),
} satisfies v.ObjectEntries;

/**
 * The body of POST /v1/responses, with the type and range of each field: those of OpenAI's that have a meaning here,
 * and the sampling fields of this API. An optional field that is null counts as absent. Other fields pass through.
 */
export const responseRequestSchema = v.looseObject(
  {
    model: nonEmptyText,
    input: v.nullish(input),
    instructions: v.nullish(textField),
    previous_response_id: v.nullish(nonEmptyText),
    conversation: v.nullish(
      v.union(
        [nonEmptyText, objectField({ id: nonEmptyText }, 'must be an object with id')],
        'must be an id or an object with id',
      ),
    ),
    ...ownSampling,
    max_output_tokens: v.nullish(integerField(1)),
    tools: v.nullish(list(tool, MOST_TOOLS, 'tools', 'must be an array of tools')),
    tool_choice: v.nullish(toolChoice),
    parallel_tool_calls: v.nullish(booleanField),
    /** The most calls of tools that this server runs. */
    max_tool_calls: v.nullish(integerField(1)),
    text: v.nullish(objectField({ format: v.nullish(format) }, 'must be an object with format')),
    reasoning: v.nullish(
      objectField({ effort: v.nullish(oneOf([...EFFORTS, 'max'])) }, 'must be an object with effort'),
    ),
    include: v.nullish(list(textField, MOST_TOOLS, 'names', 'must be an array of strings')),
    top_logprobs: v.nullish(integerField(0, 20)),
    store: v.nullish(booleanField),
    ...hints,
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** A validated request for a response. */
export type ResponseRequest = v.InferOutput<typeof responseRequestSchema>;
