import * as v from 'valibot';
import { booleanField, list, nonEmptyText, objectField, oneOf, textField } from '../fields/fields.ts';

/** More names than any server has tools. */
const MOST_NAMES = 1024;

const names = list(textField, MOST_NAMES, 'names', 'must be an array of names');

/** Chooses tools by their names, or by their server's word on whether they only read. */
const filter = objectField(
  { tool_names: v.nullish(names), read_only: v.nullish(booleanField) },
  'must be an object with tool_names or read_only',
);

/** The tools of an MCP server that a model may call, in OpenAI's form. */
export const mcpTool = v.looseObject({
  type: v.literal('mcp'),
  server_label: nonEmptyText,
  allowed_tools: v.nullish(
    v.union([names, filter], 'must be an array of names, or an object with tool_names or read_only'),
  ),
  require_approval: v.nullish(
    v.union(
      [
        oneOf(['always', 'never']),
        objectField({ always: v.nullish(filter), never: v.nullish(filter) }, 'must be an object with always or never'),
      ],
      'must be always, never, or an object with always or never',
    ),
  ),
});

export type McpEntry = v.InferOutput<typeof mcpTool>;

export type McpToolFilter = v.InferOutput<typeof filter>;
