import type { GenerationEvent } from '../../contract/events.ts';
import { isMcpEvent, type McpCallStart, type McpEvent, type ReplyEvent } from '../mcp/events.ts';

/** What this server has done with MCP servers, as a chat completion tells it. */
export type ExecutedTool = ExecutedCall | FailedListing;

/** A server could not list its tools, so the model was offered none of them. */
interface FailedListing {
  index: number;
  type: 'mcp_list_tools';
  server_label: string;
  error: string;
}

/** A call of a tool that this server has made. */
interface ExecutedCall {
  index: number;
  type: 'mcp';
  server_label: string;
  name: string;
  /** JSON text. */
  arguments: string;
  /** The result; null if the call has failed. */
  output: string | null;
  error: string | null;
}

/** Returns a function that takes the events of MCP servers, and returns what is told of them. */
export function createExecutedTools(): (event: McpEvent) => ExecutedTool | null {
  const open = new Map<number, { tool: McpCallStart['tool']; json: string }>();
  let count = 0;
  return (event) => {
    switch (event.kind) {
      case 'mcpListed': {
        const { label: server_label, error } = event.listing;
        return error === null ? null : { index: count++, type: 'mcp_list_tools', server_label, error };
      }
      case 'mcpCall':
        open.set(event.call, { tool: event.tool, json: '' });
        return null;
      case 'mcpArguments': {
        const call = open.get(event.call);
        if (call) call.json += event.text;
        return null;
      }
      case 'mcpCalled': {
        const call = open.get(event.call);
        if (!call) return null;
        const { tool, json } = call;
        const { text, failed } = event.result;
        return {
          index: count++,
          type: 'mcp',
          server_label: tool.server.label,
          name: tool.tool.name,
          arguments: json,
          output: failed ? null : text,
          error: failed ? text : null,
        };
      }
      default:
        return null;
    }
  };
}

/** Puts a blank line between the texts, and between the thoughts, before and after a call. */
export async function* withParagraphs(events: AsyncIterable<ReplyEvent>): AsyncGenerator<ReplyEvent> {
  const said = { text: false, reasoning: false };
  const due = { text: false, reasoning: false };
  for await (const event of events) {
    if (event.kind === 'mcpCalled') Object.assign(due, said);
    if (event.kind !== 'text' && event.kind !== 'reasoning') {
      yield event;
      continue;
    }
    const { kind, text } = event;
    yield due[kind] ? { ...event, text: `\n\n${text}` } : event;
    due[kind] = false;
    if (/\S/.test(text)) said[kind] = true;
  }
}

/** Yields the events of the generations, and appends what is told of MCP servers to `executed`. */
export async function* withoutExecuted(
  events: AsyncIterable<ReplyEvent>,
  executed: ExecutedTool[],
): AsyncGenerator<GenerationEvent> {
  const read = createExecutedTools();
  for await (const event of events) {
    if (!isMcpEvent(event)) {
      yield event;
      continue;
    }
    const ended = read(event);
    if (ended) executed.push(ended);
  }
}
