import * as v from 'valibot';
import {
  between,
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
import { adaptersField } from '../fields/lora.ts';

/** More messages than any client sends. Each of them takes time before the model runs. */
const MOST_MESSAGES = 10_000;
const MOST_BLOCKS = 4096;
const MOST_TOOLS = 1024;
const MOST_STOPS = 256;

const textBlock = v.looseObject({ type: v.literal('text'), text: textField });

const imageSource = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('base64'), media_type: nonEmptyText, data: nonEmptyText }),
    v.looseObject({ type: v.literal('url'), url: nonEmptyText }),
  ],
  typesAre('base64, url'),
);
const imageBlock = v.looseObject({ type: v.literal('image'), source: imageSource });

const documentSource = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('text'), data: textField }),
    v.looseObject({ type: v.literal('content'), content: contentOf([textBlock, imageBlock], 'text, image') }),
    // PDFs and stored files: the translation refuses them with an error that names the block.
    v.looseObject({ type: v.literal('base64'), media_type: textField }),
    v.looseObject({ type: v.literal('url'), url: textField }),
    v.looseObject({ type: v.literal('file'), file_id: textField }),
  ],
  typesAre('text, content, base64, url, file'),
);
const documentBlock = v.looseObject({
  type: v.literal('document'),
  source: documentSource,
  title: v.nullish(textField),
  context: v.nullish(textField),
});

const searchResultBlock = v.looseObject({
  type: v.literal('search_result'),
  source: textField,
  title: textField,
  content: list(textBlock, MOST_BLOCKS, 'blocks', 'must be an array of text blocks'),
});
const toolReferenceBlock = v.looseObject({ type: v.literal('tool_reference'), tool_name: textField });

const toolResultBlock = v.looseObject({
  type: v.literal('tool_result'),
  tool_use_id: nonEmptyText,
  content: v.nullish(
    contentOf(
      [textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock],
      'text, image, document, search_result, tool_reference',
    ),
  ),
  is_error: v.nullish(booleanField),
});

const toolUseBlock = v.looseObject({
  type: v.literal('tool_use'),
  id: nonEmptyText,
  name: nonEmptyText,
  input: record('must be an object', v.unknown()),
});
const thinkingBlock = v.looseObject({ type: v.literal('thinking'), thinking: textField });

/**
 * Blocks that only Anthropic's service can read. A conversation that was begun there has them, and they are left out.
 */
const foreignBlock = v.looseObject({
  type: v.picklist([
    'redacted_thinking',
    'server_tool_use',
    'web_search_tool_result',
    'web_fetch_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
  ]),
});

const message = v.variant(
  'role',
  [
    v.looseObject({
      role: v.literal('user'),
      content: contentOf(
        [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock],
        'text, image, document, search_result, tool_result',
      ),
    }),
    v.looseObject({
      role: v.literal('assistant'),
      content: contentOf([textBlock, thinkingBlock, toolUseBlock, foreignBlock], 'text, thinking, tool_use'),
    }),
    v.looseObject({ role: v.literal('system'), content: v.nullish(contentOf([textBlock], 'text')) }),
  ],
  (issue) =>
    issue.expected.startsWith('Object')
      ? 'must be an object with role and content'
      : 'must be one of user, assistant, system',
);

/** A tool of the client has a schema. A type other than `custom` names one that Anthropic defines. */
const tool = v.looseObject(
  {
    type: v.nullish(nonEmptyText),
    name: v.nullish(nonEmptyText),
    description: v.nullish(textField),
    input_schema: v.nullish(record('must be a JSON schema object', v.unknown())),
  },
  'must be an object with name and input_schema',
);

const parallel = { disable_parallel_tool_use: v.nullish(booleanField) };
const toolChoice = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('auto'), ...parallel }),
    v.looseObject({ type: v.literal('any'), ...parallel }),
    v.looseObject({ type: v.literal('tool'), name: nonEmptyText, ...parallel }),
    v.looseObject({ type: v.literal('none') }),
  ],
  typesAre('auto, any, tool, none'),
);

const thinking = v.variant(
  'type',
  [
    v.looseObject({ type: v.literal('enabled'), budget_tokens: integerField(1) }),
    v.looseObject({ type: v.literal('disabled') }),
    v.looseObject({ type: v.literal('adaptive') }),
    v.looseObject({ type: v.literal('between_tools') }),
  ],
  typesAre('enabled, disabled, adaptive, between_tools'),
);

const jsonFormat = v.looseObject(
  {
    type: v.literal('json_schema', 'must be json_schema, the only supported type'),
    schema: record('must be a JSON schema object', v.unknown()),
  },
  'must be an object with type and schema',
);

const outputConfig = objectField(
  { effort: v.nullish(oneOf(['low', 'medium', 'high', 'xhigh', 'max'])), format: v.nullish(jsonFormat) },
  'must be an object',
);

/** Fields of Anthropic that can't change a reply here: nothing is billed, stored, routed or edited. */
export const MESSAGES_FIELDS_WITHOUT_EFFECT = [
  'betas',
  'billing_policy',
  'cache_control',
  'context_management',
  'diagnostics',
  'fallback_credit_token',
  'fallbacks',
  'inference_geo',
  'metadata',
  'service_tier',
  'speed',
  'user_profile_id',
  'workspace_id',
];

const conversationEntries = {
  model: nonEmptyText,
  messages: v.pipe(
    list(message, MOST_MESSAGES, 'messages', 'must be an array of messages'),
    v.minLength(1, 'must have at least 1 message'),
  ),
  system: v.nullish(contentOf([textBlock], 'text')),
  tools: v.nullish(list(tool, MOST_TOOLS, 'tools', 'must be an array of tools')),
  tool_choice: v.nullish(toolChoice),
  thinking: v.nullish(thinking),
  output_config: v.nullish(outputConfig),
  output_format: v.nullish(jsonFormat),
  thread: v.nullish(v.unknown()),
  ...Object.fromEntries(MESSAGES_FIELDS_WITHOUT_EFFECT.map((field) => [field, v.nullish(v.unknown())])),
};

/** The body of POST /v1/messages/count_tokens: a conversation. Other fields pass through. */
export const countTokensRequestSchema = v.looseObject(conversationEntries, 'must be a JSON object');

/**
 * The body of POST /v1/messages, with the type and range of each field. An optional field that is null counts as
 * absent. Other fields pass through.
 */
export const messagesRequestSchema = v.looseObject(
  {
    ...conversationEntries,
    max_tokens: integerField(1),
    stream: v.nullish(booleanField),
    stop_sequences: v.nullish(
      list(nonEmptyText, MOST_STOPS, 'stop sequences', 'must be an array of non-empty strings'),
    ),
    temperature: v.nullish(between(0, 1)),
    top_p: v.nullish(between(0, 1)),
    top_k: v.nullish(integerField(0)),
    lora: v.nullish(adaptersField),
    keep_alive: v.nullish(keepAliveField),
  },
  'must be a JSON object',
);

/** A validated conversation. */
export type CountTokensRequest = v.InferOutput<typeof countTokensRequestSchema>;

/** A validated request for a message. */
export type MessagesRequest = v.InferOutput<typeof messagesRequestSchema>;

/** A string, or blocks of these kinds, which `types` lists for the message of an error. */
function contentOf<const B extends v.VariantOptions<'type'>>(blocks: B, types: string) {
  const block = v.variant('type', blocks, typesAre(types));
  return v.union([v.string(), list(block, MOST_BLOCKS, 'blocks', 'must be an array')], (issue) =>
    Array.isArray(issue.input) ? 'has a block that is not valid' : 'must be a string or an array of blocks',
  );
}

/** The message of a variant by `type`. */
function typesAre(types: string) {
  return (issue: { expected: string | null }) =>
    issue.expected?.startsWith('Object') ? 'must be an object with type' : `must be one of ${types}`;
}
