import { queryField } from './query.ts';

/** Where a site has the worker that speaks to one MCP server for the chat page. */
export const MCP_WORKER = 'mcp/worker.js';

/**
 * An origin that a policy may name: nothing in it can end the name and begin another rule. Policies have no word for addresses of
 * IPv6.
 */
const ORIGIN = /^https?:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** Says whether a page’s worker can be allowed to call this origin. */
export function isCallableOrigin(origin: string): boolean {
  return ORIGIN.test(origin);
}

/**
 * The Content-Security-Policy of the worker that speaks to one MCP server. `query` is that of its script’s address: the field
 * `connect` names the one origin that it may call. Without a valid one it calls nobody.
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
