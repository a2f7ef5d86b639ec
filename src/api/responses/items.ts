import * as v from 'valibot';
import { booleanField, list, nonEmptyText, objectField, oneOf, textField } from '../fields/fields.ts';

/** More items than any client sends. Each of them takes time before the model runs. */
const MOST_ITEMS = 10_000;
const MOST_PARTS = 4096;

const textPart = v.looseObject({ type: oneOf(['input_text', 'output_text', 'text']), text: textField });
const refusalPart = v.looseObject({ type: v.literal('refusal'), refusal: textField });
const imagePart = v.looseObject({
  type: v.literal('input_image'),
  image_url: v.nullish(nonEmptyText),
  file_id: v.nullish(textField),
  detail: v.nullish(oneOf(['auto', 'low', 'high', 'original'])),
});
const audioPart = v.looseObject({
  type: v.literal('input_audio'),
  input_audio: objectField(
    { data: nonEmptyText, format: oneOf(['wav', 'mp3']) },
    'must be an object with data and format',
  ),
});
const filePart = v.looseObject({ type: v.literal('input_file') });

const contentPart = v.variant('type', [textPart, refusalPart, imagePart, audioPart, filePart], (issue) =>
  issue.expected.startsWith('Object')
    ? 'must be an object'
    : 'must be one of input_text, output_text, refusal, input_image, input_audio',
);

const content = v.union([v.string(), list(contentPart, MOST_PARTS, 'parts', 'must be an array')], (issue) =>
  Array.isArray(issue.input) ? 'has a content part that is not valid' : 'must be a string or an array of content parts',
);

const message = v.looseObject({
  type: v.optional(v.literal('message'), 'message'),
  role: oneOf(['user', 'system', 'developer', 'assistant']),
  content: v.nullish(content),
});

const functionCall = v.looseObject({
  type: v.literal('function_call'),
  call_id: textField,
  name: textField,
  arguments: textField,
});
const customCall = v.looseObject({
  type: v.literal('custom_tool_call'),
  call_id: textField,
  name: textField,
  input: textField,
});
const callOutput = v.looseObject({
  type: oneOf(['function_call_output', 'custom_tool_call_output']),
  call_id: textField,
  output: content,
});

const thoughts = v.nullish(
  list(v.looseObject({ text: v.nullish(textField) }), MOST_PARTS, 'parts', 'must be an array'),
);
const reasoning = v.looseObject({ type: v.literal('reasoning'), summary: thoughts, content: thoughts });

const mcpList = v.looseObject({ type: v.literal('mcp_list_tools'), id: nonEmptyText, server_label: textField });
const mcpCall = v.looseObject({
  type: v.literal('mcp_call'),
  id: nonEmptyText,
  server_label: textField,
  name: textField,
  arguments: textField,
  output: v.nullish(textField),
  error: v.nullish(textField),
  approval_request_id: v.nullish(textField),
});
const mcpApprovalRequest = v.looseObject({
  type: v.literal('mcp_approval_request'),
  id: nonEmptyText,
  server_label: textField,
  name: textField,
  arguments: textField,
});
const mcpApprovalResponse = v.looseObject({
  type: v.literal('mcp_approval_response'),
  approval_request_id: nonEmptyText,
  approve: booleanField,
  reason: v.nullish(textField),
});

const itemReference = v.looseObject({ type: v.literal('item_reference'), id: nonEmptyText });

const TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
  'item_reference',
];

const CONTENT_ITEMS = [
  message,
  functionCall,
  callOutput,
  customCall,
  reasoning,
  mcpList,
  mcpCall,
  mcpApprovalRequest,
  mcpApprovalResponse,
] as const;

/** The items that have their own content, as conversations store them. */
export const contentItem = v.variant('type', [...CONTENT_ITEMS], (issue) =>
  issue.expected.startsWith('Object')
    ? 'must be an object'
    : `must be one of ${TYPES.filter((type) => type !== 'item_reference').join(', ')}`,
);

const item = v.variant('type', [...CONTENT_ITEMS, itemReference], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object' : `must be one of ${TYPES.join(', ')}`,
);

/** The conversation so far: a text of the user, or items. A message may leave its `type` out. */
export const input = v.union([v.string(), list(item, MOST_ITEMS, 'items', 'must be an array')], (issue) =>
  Array.isArray(issue.input) ? 'has an item that is not valid' : 'must be a string or an array of items',
);

/** An item as clients send it. */
export type InputItem = v.InferOutput<typeof item>;

/** An item that has its own content: every one but a reference. */
export type ContentItem = Exclude<InputItem, { type: 'item_reference' }>;

export type InputPart = v.InferOutput<typeof contentPart>;

/** An item of the conversation, and its place in the client's request, such as `input[2]`; errors name it. */
export interface PlacedItem {
  item: ContentItem;
  param: string;
}
