import * as v from 'valibot';
import { list, nonEmptyText, objectField, oneOf, textField } from '../fields/fields.ts';

/** More parts than any client sends. Each of them takes time before the model runs. */
const MOST_PARTS = 4096;
const MOST_TOOL_CALLS = 1024;

/** The types of parts. Each has its payload in the field of the same name. */
const PARTS = ['text', 'image_url', 'input_audio', 'refusal', 'thinking'] as const;

/** A payload of another type than the part's would be ignored, so it is refused. */
const noPayload = v.optional(v.null('must not be there: a part has the payload of its type alone'));

/** Returns entries that forbid the payloads of other types. The return type leaves these entries out. */
function noOther(type: (typeof PARTS)[number]): Record<never, never> {
  return Object.fromEntries(PARTS.filter((other) => other !== type).map((other) => [other, noPayload]));
}

const imageUrl = v.union(
  [
    nonEmptyText,
    objectField({ url: nonEmptyText, detail: v.nullish(oneOf(['auto', 'low', 'high'])) }, 'must be an object'),
  ],
  'must be an address or an object with url',
);
const inputAudio = objectField(
  { data: nonEmptyText, format: oneOf(['wav', 'mp3']) },
  'must be an object with data and format',
);
/** Mistral's clients write a list of text parts. */
const thinking = v.union(
  [
    v.string(),
    list(objectField({ text: textField }, 'must be an object with text'), MOST_PARTS, 'parts', 'must be an array'),
  ],
  'must be a string or an array of text parts',
);

const contentPart = v.variant(
  'type',
  [
    v.looseObject({ ...noOther('text'), type: v.literal('text'), text: textField }),
    v.looseObject({ ...noOther('image_url'), type: v.literal('image_url'), image_url: imageUrl }),
    v.looseObject({ ...noOther('input_audio'), type: v.literal('input_audio'), input_audio: inputAudio }),
    v.looseObject({ ...noOther('refusal'), type: v.literal('refusal'), refusal: textField }),
    v.looseObject({ ...noOther('thinking'), type: v.literal('thinking'), thinking }),
  ],
  (issue) => (issue.expected.startsWith('Object') ? 'must be an object' : `must be one of ${PARTS.join(', ')}`),
);

const content = v.union([v.string(), list(contentPart, MOST_PARTS, 'parts', 'must be an array')], (issue) =>
  Array.isArray(issue.input) ? 'has a content part that is not valid' : 'must be a string or an array of content parts',
);

const customCall = v.looseObject({
  id: textField,
  type: v.literal('custom'),
  custom: v.looseObject({ name: textField, input: textField }, 'must be an object with name and input'),
});

const functionCall = v.looseObject(
  {
    id: textField,
    type: v.optional(v.literal('function', 'must be function or custom'), 'function'),
    function: v.looseObject({ name: textField, arguments: textField }, 'must be an object with name and arguments'),
  },
  'must be an object with id, type and function',
);

const toolCall = v.variant('type', [customCall, functionCall], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object with id, type and function' : 'must be function or custom',
);

const fields = {
  name: v.nullish(textField),
  tool_calls: v.nullish(list(toolCall, MOST_TOOL_CALLS, 'tool calls', 'must be an array of tool calls')),
  tool_call_id: v.nullish(textField),
  function_call: v.nullish(
    v.looseObject({ name: textField, arguments: textField }, 'must be an object with name and arguments'),
  ),
  reasoning_content: v.nullish(textField),
  reasoning: v.nullish(textField),
  refusal: v.nullish(textField),
} satisfies v.ObjectEntries;

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** A message of a conversation. A user message must have content. */
export const message = v.variant(
  'role',
  [
    v.looseObject({ role: v.literal('user'), content, ...fields }),
    v.looseObject({
      role: v.picklist(['system', 'developer', 'assistant', 'tool']),
      content: v.nullish(content),
      ...fields,
    }),
    v.looseObject({ role: v.literal('function'), content: v.nullish(content), ...fields, name: textField }),
  ],
  (issue) =>
    issue.expected.startsWith('Object')
      ? 'must be an object with role and content'
      : `must be one of ${ROLES.join(', ')}`,
);
