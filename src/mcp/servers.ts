import type { McpServers } from '../contract/mcp.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import type { McpServerSettings } from './settings.ts';

/** Returns the configured MCP servers. None is connected before it is asked. */
export function createMcpServers(settings: McpServerSettings[], options: McpOptions): McpServers & AsyncDisposable {
  const servers = settings.map((each) => ({ keys: each.keys, server: createMcpServer(each, options) }));
  return {
    of: (key) =>
      servers.filter(({ keys }) => keys === null || (key !== null && keys.includes(key))).map(({ server }) => server),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(({ server }) => server[Symbol.asyncDispose]()));
    },
  };
}
