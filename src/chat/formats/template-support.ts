import type { ChatFormat, Tool } from './format.ts';

/** True if a chat template shows the tools to the model. Otherwise an instruction must describe them. */
export function supportsTools(template: string | undefined): boolean {
  return /(?<![.\w])tools\b/.test(codeOf(template));
}

/** True if a chat template writes the calls of earlier turns. */
export function supportsToolCalls(template: string | undefined): boolean {
  return /tool_calls\b/.test(codeOf(template, true));
}

const MARKS_OF_REASONING =
  /<\|?[\w:]*think[\w:]*(?:\{\})?\|?>|\[THINK\]|<\|channel>thought|<\|channel\|>analysis|to=self|<\|inner_prefix\|>|thinking_effort/i;

/** True if a chat template has the marks of reasoning. It is not rendered, so that many models can be listed quickly. */
export function showsReasoning(template: string): boolean {
  return MARKS_OF_REASONING.test(template);
}

/** True if a prompt ends inside a block of reasoning, so that the reply goes on with it. */
export function endsInReasoning(prompt: string, format: ChatFormat): boolean {
  return format.reasoning.some(({ open }) => prompt.trimEnd().endsWith(open));
}

/** Writes the instruction that describes the tools to a model whose template doesn't. */
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

/** Returns the Jinja statements and expressions of a template, with string literals only if `strings` is true. */
function codeOf(template = '', strings = false): string {
  const tags = template.replace(/\{#[\s\S]*?#\}/g, '').match(/\{[{%][\s\S]*?[%}]\}/g) ?? [];
  const code = tags.join('\n');
  return strings ? code : code.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");
}
