import type { ChatPrompt } from '../../../src/contract/prompt.ts';
import type { Tool } from '../../../src/contract/tool.ts';

/** What the scripted model does next. */
export type Move = { kind: 'text'; text: string } | { kind: 'call'; name: string; arguments: string };

/** The words that end the work. Whoever runs an agent looks for them in its output. */
export const FINAL_WORDS = 'All steps of the trial are done.';

/** The names that agents give to the tool that runs a command, the likeliest first. */
const SHELL_NAMES =
  /^(exec_command|shell_command|shell|bash|run_shell_command|execute_command|run_commands?|run_terminal_command|local_shell)$/i;

/**
 * Decides by the conversation alone: as many calls of the shell tool as `steps`, then the final words. Requests without tools are
 * small work beside the conversation, such as a title.
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

/** Fills in the arguments that a shell tool requires: a command that leaves a file, and something of the right type otherwise. */
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
