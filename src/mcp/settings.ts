/** An MCP server as the configuration names it. */
export interface McpServerSettings {
  label: string;
  /** How it is reached: the program to start, or the URL of its endpoint over streamable HTTP. */
  reach:
    | { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> }
    | { kind: 'http'; url: string; headers: Record<string, string> };
  /** The names of the tools that models may call; null for all of the server's tools. */
  tools: readonly string[] | null;
  /** The names of the keys that may use it; null for all clients that may use the API. */
  keys: readonly string[] | null;
}
