import type { Tool } from '../../src/chat/formats/format.ts';
import type { ModelTraits } from '../../src/chat/prepare.ts';
import type { ToolCall } from '../../src/contract/prompt.ts';
import { parseGrammar } from '../grammar/gbnf.ts';
import { createMatcher } from '../grammar/gbnf-matcher.ts';

/** A template that shows tools and calls like Hermes. It begins reasoning if the variable `think` is set. */
export const HERMES_LIKE = [
  '{% if tools %}tools:{% for tool in tools %} {{ tool.function.name }}{% endfor %}{{ "\\n" }}{% endif %}',
  '{% for message in messages %}{{ message.role }}: {{ message.content }}',
  '{% if message.tool_calls %}{% for call in message.tool_calls %}',
  '<tool_call>\n{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}\n',
  '</tool_call>',
  '{% endfor %}{% endif %}{{ "\\n" }}{% endfor %}',
  'assistant: {% if think %}<think>\n{% endif %}',
].join('');

/** A template that knows neither tools nor calls. */
export const PLAIN = '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: ';

export const ADD: Tool = {
  name: 'add',
  description: 'Adds.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
  },
};

export const NOW: Tool = { name: 'now' };

export const ADD_CALL = '<tool_call>\n{"name": "add", "arguments": {"a":1,"b":2}}\n</tool_call>';
export const NOW_CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>';

export function traits(chatTemplate?: string, more: Partial<ModelTraits> = {}): ModelTraits {
  return { chatTemplate, controlTokens: [], bos: '', eos: '', infill: null, ...more };
}

/** A call as a client sends it back in a conversation. */
export function callOf(name: string, json = '{}', id = 'call_1'): ToolCall {
  return { id, type: 'function', function: { name, arguments: json } };
}

/** Returns a function that tells whether the grammar allows a text. */
export function matcherOf(grammar: string | null): (text: string) => boolean {
  if (grammar === null) throw new Error('there is no grammar');
  const rules = grammar
    .replace(/\n{2,}/g, '\n')
    .replace(/\\(?:n|.)/g, (written) => (written === '\\n' ? '\\x0A' : written));
  return createMatcher(parseGrammar(rules), 'root');
}
