/** The limits of the tools that the server runs for one request. Times are in ms. */
export interface McpLimits {
  /** The most calls. */
  calls: number;
  /** The longest time of one call. */
  callMs: number;
  /** The time, from the beginning of the reply, after which no call begins and none goes on. */
  totalMs: number;
  /** The longest time for a server's list of tools. It may have to start. */
  listMs: number;
}

export const MCP_LIMITS: McpLimits = { calls: 32, callMs: 120_000, totalMs: 600_000, listMs: 30_000 };
