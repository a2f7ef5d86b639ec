import { readBareCalls } from '../calls.ts';
import { defineFormat } from '../define.ts';
import { readToolCallBlock } from './hermes.ts';

/**
 * The format for templates that know no tools. A system message describes the tools, and the model replies with JSON
 * alone, perhaps in a Markdown fence.
 *
 *     {"tool_calls": [{"name": "add", "arguments": {"a": 1}}]}
 *
 * The parser also reads a single call without the list, and the form of `hermes`, which many models are trained on.
 */
export const generic = defineFormat({
  name: 'generic',
  matches: () => true,
  marks: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  syntax: () => ({ calls: [{ mark: '<tool_call>', read: readToolCallBlock }], opening: readBareCalls }),
  writing: {
    open: '{"tool_calls": [',
    separator: ', ',
    close: ']}',
    call: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `, '}'],
  },
});
