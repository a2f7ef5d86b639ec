import * as v from 'valibot';
import { list, nonEmptyText, objectField, oneOf, record, textField } from '../fields/fields.ts';
import { mcpTool } from '../mcp/schema.ts';

/** More tools than any client sends. Each of them takes time before the model runs. */
const MOST_TOOLS = 1024;

const functionBody = v.looseObject(
  {
    name: nonEmptyText,
    description: v.nullish(textField),
    parameters: v.nullish(record('must be a JSON schema object', v.unknown())),
  },
  'must be an object with name, description and parameters',
);

const functionTool = v.looseObject(
  {
    type: v.literal('function'),
    function: functionBody,
  },
  'must be an object with type and function',
);

/** A tool that takes one free text. A grammar for it would have to be enforced, so none is taken. */
const customTool = v.looseObject({
  type: v.literal('custom'),
  custom: objectField(
    {
      name: nonEmptyText,
      description: v.nullish(textField),
      format: v.nullish(
        objectField({ type: v.literal('text', 'must be text: grammars are not supported') }, 'must be an object'),
      ),
    },
    'must be an object with name and description',
  ),
});

const tool = v.variant('type', [functionTool, customTool, mcpTool], (issue) =>
  issue.expected.startsWith('Object') ? 'must be an object with type and function' : 'must be function, custom or mcp',
);

/** The tools that the model may call. */
export const tools = list(tool, MOST_TOOLS, 'tools', 'must be an array of tools');

/** The tools in OpenAI's older spelling. */
export const functions = list(functionBody, MOST_TOOLS, 'functions', 'must be an array of functions');

/** The choice of a function in OpenAI's older spelling. */
export const functionChoice = v.union(
  [v.picklist(['none', 'auto']), objectField({ name: textField }, 'must be an object with name')],
  'must be none, auto or {"name": ...}',
);

const namedFunction = v.looseObject({
  type: v.literal('function'),
  function: objectField({ name: textField }, 'must be an object with name'),
});
const namedCustom = v.looseObject({
  type: v.literal('custom'),
  custom: objectField({ name: textField }, 'must be an object with name'),
});
const namedTool = v.variant('type', [namedFunction, namedCustom], 'must be function or custom');

const allowedTools = v.looseObject({
  type: v.literal('allowed_tools'),
  allowed_tools: objectField(
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
