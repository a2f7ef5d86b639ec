import type { RequestContext } from '../../../src/api/context.ts';
import type { OfferedTool } from '../../../src/api/mcp/offer.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { McpServer, McpTool } from '../../../src/contract/mcp.ts';
import { createFakeRunner, done, finish, progress, streamOf, text, toolArguments, toolCall } from '../fixtures.ts';

/** A tool that changes nothing. */
export function mcpTool(name: string, more: Partial<McpTool> = {}): McpTool {
  const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
  return { name, description: `Does ${name}.`, parameters, readOnly: true, ...more };
}

/** A server that answers each call with the tool and its arguments, and records the calls. */
export function mcpServer(label: string, tools: McpTool[], overrides: Partial<McpServer> = {}) {
  const calls: [tool: string, given: unknown][] = [];
  const server: McpServer = {
    label,
    list: async () => ({ tools, error: null }),
    async call(tool, given) {
      calls.push([tool, given]);
      return { text: `${tool} ${JSON.stringify(given)}`, failed: false };
    },
    ...overrides,
  };
  return { ...server, calls };
}

/** A tool as a request offers it. */
export function offered(server: McpServer, tool: McpTool, more: Partial<OfferedTool> = {}): OfferedTool {
  return { server, tool, name: tool.name, asks: false, place: 'tools[0]', ...more };
}

/** The servers that every client may use. */
export function everyone(...servers: McpServer[]): NonNullable<RequestContext['mcp']> {
  return { of: () => servers };
}

/** A generation that calls these tools, each with its arguments. */
export function calling(...calls: [name: string, json: string][]): GenerationEvent[] {
  const events = calls.flatMap(([name, json], index) => [toolCall(name, index), toolArguments(json, index)]);
  return [progress(12, 12), ...events, finish('tool_calls'), done()];
}

/** A generation that answers. */
export function answering(words = 'So be it.'): GenerationEvent[] {
  return [progress(12, 12), text(words), finish(), done()];
}

/** A runner whose generations are these, one after the other; the last one again and again. */
export function runnerOf(...generations: GenerationEvent[][]) {
  let count = 0;
  return createFakeRunner(() => streamOf(generations[Math.min(count++, generations.length - 1)] ?? []));
}
