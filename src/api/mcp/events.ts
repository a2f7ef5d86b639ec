import type { GenerationEvent } from '../../contract/events.ts';
import type { ToolResult } from '../../utils/mcp-result.ts';
import type { OfferedListing, OfferedTool } from './offer.ts';

/** The tools of a server were listed, or could not be. */
interface McpListed {
  kind: 'mcpListed';
  listing: OfferedListing;
}

/** The model begins to call a tool that this server runs. `call` counts these calls of a reply from 0. */
export interface McpCallStart {
  kind: 'mcpCall';
  call: number;
  tool: OfferedTool;
  /** The id of the client's approval; null if none was needed. */
  approvalId: string | null;
}

/** A piece of the call's arguments. All pieces together are the JSON text of one object. */
interface McpArgumentsDelta {
  kind: 'mcpArguments';
  call: number;
  text: string;
}

/** The arguments are complete, and the tool is called now. */
interface McpCalling {
  kind: 'mcpCalling';
  call: number;
}

/** The tool has ended. */
interface McpCalled {
  kind: 'mcpCalled';
  call: number;
  result: ToolResult;
}

/** The model wants a call that the client has to approve. */
interface McpApprovalAsked {
  kind: 'mcpApproval';
  tool: OfferedTool;
  /** The arguments, as JSON text. */
  json: string;
}

/** What happens with the tools of MCP servers in a reply. */
export type McpEvent = McpListed | McpCallStart | McpArgumentsDelta | McpCalling | McpCalled | McpApprovalAsked;

/**
 * An event of a reply in which this server runs tools. The reply may consist of several generations; it has one `finish`
 * and one `done` all the same. `toolCall` and `toolArguments` are those of the client's own tools.
 */
export type ReplyEvent = GenerationEvent | McpEvent;

/** True if an event is about tools that this server runs. */
export function isMcpEvent(event: { kind: string }): event is McpEvent {
  return event.kind.startsWith('mcp');
}
