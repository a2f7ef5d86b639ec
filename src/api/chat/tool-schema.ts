import * as v from 'valibot';
import { list, nonEmptyText, object, oneOf, record, text } from '../fields/fields.ts';

/** More than any request has; each costs work before the model gets to it. */
const MOST_TOOLS = 1024;

const functionTool = v.looseObject(
  {
    type: v.literal('function'),
    function: v.looseObject(
      {
        name: nonEmptyText,
        description: v.nullish(text),
        parameters: v.nullish(record('must be a JSON schema object', v.unknown())),
      },
      'must be an object with name, description and parameters',
    ),
  },
  'must be an object with type and function',
);

/** A tool that takes one free text. A grammar for it would have to be enforced, so none is taken. */
const customTool = v.looseObject({
  type: v.literal('custom'),
  custom: object(
    {
      name: nonEmptyText,
      description: v.nullish(text),
      format: v.nullish(
        object({ type: v.literal('text', 'must be text: grammars are not supported') }, 'must be an object'),
      ),
    },
    'must be an object with name and description',
  ),
});

const tool = v.variant('type', [functionTool, customTool], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object with type and function' : 'must be function or custom',
);

/** The tools that the model may call. */
export const tools = list(tool, MOST_TOOLS, 'tools', 'must be an array of tools');

const namedFunction = v.looseObject({
  type: v.literal('function'),
  function: object({ name: text }, 'must be an object with name'),
});
const namedCustom = v.looseObject({
  type: v.literal('custom'),
  custom: object({ name: text }, 'must be an object with name'),
});
const namedTool = v.variant('type', [namedFunction, namedCustom], 'must be function or custom');

const allowedTools = v.looseObject({
  type: v.literal('allowed_tools'),
  allowed_tools: object(
    {
      mode: oneOf(['auto', 'required']),
      tools: v.pipe(
        list(namedTool, MOST_TOOLS, 'tools', 'must be an array of tools'),
        v.minLength(1, 'must have at least 1 tool'),
      ),
    },
    'must be an object with mode and tools',
  ),
});

/** Which of the tools may or must be called. Mistral's clients say `any` for `required`. */
export const toolChoice = v.union(
  [
    v.picklist(['none', 'auto', 'required', 'any']),
    v.variant('type', [namedFunction, namedCustom, allowedTools], 'must be function'),
  ],
  'must be none, auto, required, any or {"type": "function", "function": {"name": ...}}',
);
