import type { ToolResult } from '../../src/utils/mcp-result.ts';

// One worker talks to one MCP server. The policy of the worker's script allows requests to the origin of that server
// only. The policy of the page allows no requests to MCP servers at all.

/** The address of an MCP server. */
export interface ServerAddress {
  url: string;
  /** A header that is sent with every request, such as an API key; null for none. */
  header: { name: string; value: string } | null;
}

/** A tool as its MCP server describes it. */
export interface ServerTool {
  name: string;
  description: string;
  /** A JSON schema of the arguments. */
  parameters: Record<string, unknown>;
}

/** The name and the tools of an MCP server, as the server states them. */
export interface KnownServer {
  title: string;
  tools: ServerTool[];
}

/**
 * A message from the page to the worker. The first message is `open`. The answer to `list` or `call` has the same id.
 */
export type ToWorker =
  | ({ kind: 'open' } & ServerAddress)
  | { kind: 'list'; id: number }
  | { kind: 'call'; id: number; tool: string; arguments: Record<string, unknown> }
  | { kind: 'cancel'; id: number }
  /** Ends the session with the server, then the worker. */
  | { kind: 'close' };

/** A message from the worker to the page. */
export type FromWorker =
  | { kind: 'listed'; id: number; known: KnownServer }
  | { kind: 'called'; id: number; result: ToolResult }
  /** The message is written for people and for the model. */
  | { kind: 'failed'; id: number; message: string }
  /** The server's list of tools has changed. */
  | { kind: 'changed' };
