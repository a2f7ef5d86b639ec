import type { ChatFormat, Tool } from './format.ts';

/** Whether a chat template shows the model the tools that it is given, and so need not be told about them otherwise. */
export function supportsTools(template: string | undefined): boolean {
  return /(?<![.\w])tools\b/.test(codeOf(template));
}

/** Whether a chat template writes the calls of earlier turns. */
export function supportsToolCalls(template: string | undefined): boolean {
  return /tool_calls\b/.test(codeOf(template, true));
}

/** Whether a prompt ends inside of a block of reasoning, so that the reply begins in it. */
export function endsInReasoning(prompt: string, format: ChatFormat): boolean {
  return format.reasoning.some(({ open }) => prompt.trimEnd().endsWith(open));
}

/** What a model without a template for tools is told about them, in a system message. */
export function describeTools(tools: Tool[], format: ChatFormat): string {
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  const example = format.writeCalls([{ name: 'FUNCTION_NAME', arguments: '{"ARGUMENT_NAME": "VALUE"}' }]);
  return [
    'You can call these functions. Each line describes one, its parameters as a JSON schema:',
    ...list,
    '',
    'To call a function, reply with exactly this form and nothing else, and wait for the result:',
    example,
    '',
    'Reply as usual when no function is needed.',
  ].join('\n');
}

/** The Jinja statements and expressions of a template; without their string literals, unless `strings`. */
function codeOf(template = '', strings = false): string {
  const tags = template.replace(/\{#[\s\S]*?#\}/g, '').match(/\{[{%][\s\S]*?[%}]\}/g) ?? [];
  const code = tags.join('\n');
  return strings ? code : code.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");
}
