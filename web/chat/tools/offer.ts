import { freeName } from '../../../src/utils/free-name.ts';
import type { ServerTool } from '../../mcp/messages.ts';
import { readTools, type Settings } from '../settings/settings.ts';
import { type ChatTools, NO_CHAT_TOOLS } from './chat-tools.ts';
import { placeOf, type ToolServer } from './server.ts';

/** A tool that the page can run. */
export interface RunnableTool {
  /** The name by which the model calls the tool. */
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** The runner: the page itself, or a server, which may have another name for the tool. */
  runner: { kind: 'calculator' } | { kind: 'server'; serverId: string; tool: string };
  /** The host of the server, for people; null for the page. */
  place: string | null;
  /** Identifies the server and the tool in the consents of a chat. */
  consent: string;
}

/** A tool in OpenAI's format. */
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

/** Returns the tools that the page runs in a chat. Their names are unique and differ from the names in `taken`. */
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

/**
 * Returns the definitions of the tools in the settings of a chat, whose results a person types, and of the tools that
 * the page runs. Throws as `readTools`.
 */
export function definitionsOf(settings: Settings, runnable: RunnableTool[]): unknown[] {
  return [...readTools(settings.tools), ...runnable.map(toDefinition)];
}

/** Returns the names of the tools in the settings of a chat; none if the settings are invalid. */
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
