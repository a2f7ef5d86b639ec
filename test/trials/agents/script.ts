import type { ChatPrompt } from '../../../src/contract/prompt.ts';
import type { Tool } from '../../../src/contract/tool.ts';

/** The next reply of the scripted model. */
export type Move = { kind: 'text'; text: string } | { kind: 'call'; name: string; arguments: string };

/** The last reply of the model. The trial looks for it in the output of the agent. */
export const FINAL_WORDS = 'All steps of the trial are done.';

/** The names of tools that run a command, the most common first. */
const SHELL_NAMES =
  /^(exec_command|shell_command|shell|bash|run_shell_command|execute_command|run_commands?|run_terminal_command|local_shell)$/i;

/**
 * Returns the next reply, which depends only on the conversation: `steps` calls of the shell tool, then the final
 * words. A request without tools is a side task, such as a title.
 */
export function nextMove({ tools, messages }: Pick<ChatPrompt, 'tools' | 'messages'>, steps: number): Move {
  const shell = tools.find(({ name }) => SHELL_NAMES.test(name));
  if (!shell)
    return {
      kind: 'text',
      text: tools.length === 0 ? 'A trial' : `None of these is a shell: ${tools.map(({ name }) => name).join(', ')}`,
    };
  const done = messages.filter(({ role }) => role === 'tool').length;
  if (done >= steps) return { kind: 'text', text: FINAL_WORDS };
  return { kind: 'call', name: shell.name, arguments: JSON.stringify(argumentsOf(shell, done + 1)) };
}

/**
 * Returns the required arguments of a shell tool: a command that writes a file, and a value of the right type for any
 * other argument.
 */
function argumentsOf({ parameters = {} }: Tool, step: number): Record<string, unknown> {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, { type?: unknown; enum?: unknown[]; items?: unknown }>;
    required?: string[];
  };
  const command = `echo step-${step} > step-${step}.txt`;
  const filled: Record<string, unknown> = {};
  for (const name of new Set([...required, ...Object.keys(properties).filter((key) => /^(cmd|commands?)$/.test(key))]))
    filled[name] = fillIn(name, properties[name] ?? {}, command, step);
  return filled;
}

function fillIn(name: string, schema: { type?: unknown; enum?: unknown[] }, command: string, step: number): unknown {
  if (/^(cmd|commands?)$/.test(name)) {
    if (schema.type !== 'array') return command;
    return name === 'commands' ? [command] : ['bash', '-lc', command];
  }
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 10_000;
    default:
      return `Step ${step}`;
  }
}
