import type { ToolResult } from '../utils/mcp-result.ts';
import type { SchemaObject } from './json-schema.ts';

/** A tool of an MCP server, as the server describes it. */
export interface McpTool {
  name: string;
  description: string;
  /** JSON schema of the arguments. */
  parameters: SchemaObject;
  /** True if the server says that the tool changes nothing. */
  readOnly: boolean;
}

/** The tools that a server offers, or none and the reason, in words for clients and models. */
export interface McpListing {
  tools: McpTool[];
  error: string | null;
}

/** An MCP server that the configuration names. It is connected when it is first asked. */
export interface McpServer {
  /** The name by which clients ask for it. */
  readonly label: string;
  /** Lists the tools that the configuration allows. Rejects only when `signal` aborts, with its reason. */
  list(signal: AbortSignal): Promise<McpListing>;
  /**
   * Calls a tool. A tool that fails and a server that can't be reached are results too. Rejects only when `signal`
   * aborts, with its reason; the server is then told that the call is cancelled.
   */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

/** The MCP servers whose tools run on behalf of clients. */
export interface McpServers {
  /** Returns the servers that a key may use. `key` is its name, null for a request without a key. */
  of(key: string | null): McpServer[];
}
