import { queryField } from './query.ts';

/** The path of the chat page's worker that talks to one MCP server. */
export const MCP_WORKER = 'mcp/worker.js';

/**
 * An origin that may be written into a policy: it has no character that ends the origin and begins another rule.
 * Policies can't name IPv6 addresses.
 */
const ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** True if a policy can allow a worker to call this origin. */
export function isCallableOrigin(origin: string): boolean {
  return ORIGIN.test(origin);
}

/**
 * Returns the Content-Security-Policy of the worker that talks to one MCP server. `query` is the query of the script's
 * URL: its field `connect` names the only origin that the worker may call. Without a valid origin, the worker may call
 * none.
 */
export function mcpWorkerPolicy(query: string): string {
  const origin = connectField(query);
  return `default-src 'none'; connect-src ${isCallableOrigin(origin) ? origin : "'none'"}`;
}

function connectField(query: string): string {
  try {
    return queryField(query, 'connect') ?? '';
  } catch {
    return '';
  }
}
