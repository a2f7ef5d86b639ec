import { readBareCalls } from './calls.ts';
import { defineFormat } from './define.ts';
import { readToolCallBlock } from './hermes.ts';

/**
 * For a template that knows no tools: they are described in a system message, and the model answers with JSON and
 * nothing else, perhaps in a Markdown fence.
 *
 *     {"tool_calls": [{"name": "add", "arguments": {"a": 1}}]}
 *
 * A single call alone counts as well, and so does the form of `hermes`, which many models know from their training.
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
