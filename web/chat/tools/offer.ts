import type { ServerTool } from '../../mcp/messages.ts';
import { readTools, type Settings } from '../settings/settings.ts';
import { type ChatTools, NO_CHAT_TOOLS } from './chat-tools.ts';
import { placeOf, type ToolServer } from './server.ts';

/** A tool that the page can run. */
export interface RunnableTool {
  /** By which the model calls it. */
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** Who runs it: the page itself, or a server, which knows it by another name. */
  runner: { kind: 'calculator' } | { kind: 'server'; serverId: string; tool: string };
  /** The host that runs it, for people; null for the page. */
  place: string | null;
  /** What a person consents to when this tool may always run: the server and its tool. */
  consent: string;
}

/** OpenAI's form of a tool. */
interface ToolDefinition {
  type: 'function';
  function: Pick<RunnableTool, 'name' | 'description' | 'parameters'>;
}

export const CALCULATOR: RunnableTool = {
  name: 'calculate',
  description:
    'Computes an arithmetic expression exactly, in decimal numbers. It knows + - * / ^ ! and parentheses, per cent (15% is 0.15), ' +
    'pi, e, sqrt, cbrt, exp, ln, log10, log2, log(x, base), sin, cos, tan, asin, acos, atan (in radians), radians, degrees, ' +
    'abs, floor, ceil, trunc, round(x, places), mod(a, b), min, max. No variables, units or equations.',
  parameters: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'For example (12.5 + 3) * 1.19' } },
    required: ['expression'],
  },
  runner: { kind: 'calculator' },
  place: null,
  consent: 'calculate',
};

/** The longest name that clients of OpenAI's API allow. */
const LONGEST_NAME = 64;

/** The tools that the page runs in a chat. No two have one name, and none has that of a tool in `taken`. */
export function runnableTools(
  servers: ToolServer[],
  chat: ChatTools = NO_CHAT_TOOLS,
  taken: Iterable<string> = [],
): RunnableTool[] {
  const names = new Set(taken);
  const tools: RunnableTool[] = [];
  const add = (tool: RunnableTool) => {
    const name = freeName(tool.name, names);
    names.add(name);
    tools.push({ ...tool, name });
  };
  if (chat.calculator) add(CALCULATOR);
  for (const server of chat.servers ? servers : []) {
    for (const tool of server.tools) if (!server.off.includes(tool.name)) add(toRunnable(server, tool));
  }
  return tools;
}

/** The tools in the settings of a chat, whose results a person types, and those that the page runs. Throws as `readTools`. */
export function definitionsOf(settings: Settings, runnable: RunnableTool[]): unknown[] {
  return [...readTools(settings.tools), ...runnable.map(toDefinition)];
}

/** The names of the tools in the settings of a chat. */
export function namesOfTyped(text: string): string[] {
  try {
    return (readTools(text) as Partial<ToolDefinition>[]).flatMap((tool) => tool?.function?.name ?? []);
  } catch {
    return [];
  }
}

function toRunnable(server: ToolServer, { name, description, parameters }: ServerTool): RunnableTool {
  return {
    name,
    description,
    parameters,
    runner: { kind: 'server', serverId: server.id, tool: name },
    place: placeOf(server),
    consent: `${server.url} ${name}`,
  };
}

function toDefinition({ name, description, parameters }: RunnableTool): ToolDefinition {
  return { type: 'function', function: { name, description, parameters } };
}

/** The name with nothing but letters, digits, `_` and `-`, and with a number if it is taken. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME) || 'tool';
  if (!taken.has(plain)) return plain;
  for (let number = 2; ; number += 1) {
    const numbered = `${plain.slice(0, LONGEST_NAME - String(number).length - 1)}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
