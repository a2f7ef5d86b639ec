import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { McpOffer, PlacedEntry } from '../mcp/offer.ts';
import type { ChatRequest } from './schema.ts';

/**
 * Returns the entries for MCP servers among the tools of a request. Throws a 400 `ApiError` for fields that can't be
 * combined with tools that this server runs.
 */
export function chatMcpEntries(request: ChatRequest): PlacedEntry[] {
  const entries = (request.tools ?? []).flatMap((tool, index) =>
    tool.type === 'mcp' ? [{ entry: tool, place: `tools[${index}]` }] : [],
  );
  const [first] = entries;
  if (!first) return [];
  if ((request.n ?? 1) > 1) throw invalidRequest('n must be 1 with the tools of an MCP server.', 'n');
  if (request.continue_final_message)
    throw invalidRequest(
      'continue_final_message can not be combined with the tools of an MCP server.',
      'continue_final_message',
    );
  return entries;
}

/** Throws a 400 `ApiError` if a call would need an approval: a chat completion has no way to ask for one. */
export function refuseApprovals({ tools }: McpOffer): void {
  const asking = tools.find(({ asks }) => asks);
  if (!asking) return;
  const param = `${asking.place}.require_approval`;
  throw unsupportedParameter(
    param,
    `${param} must be never: a chat completion can not ask for approvals, unlike /v1/responses.`,
  );
}
