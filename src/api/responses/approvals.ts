import { invalidRequest } from '../../contract/errors.ts';
import type { ApprovedCall } from '../mcp/loop.ts';
import { findOffered, type McpOffer } from '../mcp/offer.ts';
import type { ContentItem, PlacedItem } from './items.ts';

type ItemOf<Type extends ContentItem['type']> = Extract<ContentItem, { type: Type }>;

/** A call that a client was asked to approve, and its answer. It has not been made. */
export interface Approval {
  request: ItemOf<'mcp_approval_request'>;
  response: ItemOf<'mcp_approval_response'>;
  /** The path of the answer in the client's request. */
  param: string;
}

/**
 * Returns the approvals of a conversation whose calls have not been made, by the ids of their requests. Throws a 400
 * `ApiError` for an answer to a request that the conversation does not have.
 */
export function openApprovals(items: PlacedItem[]): Map<string, Approval> {
  const requests = new Map<string, Approval['request']>();
  const made = new Set<string>();
  for (const { item } of items) {
    if (item.type === 'mcp_approval_request') requests.set(item.id, item);
    if (item.type === 'mcp_call' && item.approval_request_id) made.add(item.approval_request_id);
  }
  const approvals = new Map<string, Approval>();
  for (const { item, param } of items) {
    if (item.type !== 'mcp_approval_response') continue;
    const id = item.approval_request_id;
    const request = requests.get(id);
    if (!request) throw approvalNotFound(id, `${param}.approval_request_id`);
    if (!made.has(id) && !approvals.has(id)) approvals.set(id, { request, response: item, param });
  }
  return approvals;
}

/**
 * Returns the calls to make now. Throws a 400 `ApiError` for a tool that the request does not offer any more.
 */
export function approvedCalls(approvals: Map<string, Approval>, offer: McpOffer): ApprovedCall[] {
  return [...approvals.values()].flatMap(({ request, response, param }) => {
    if (!response.approve) return [];
    const { id, server_label, name, arguments: json } = request;
    const tool = findOffered(offer, server_label, name);
    if (tool) return [{ callId: id, approvalId: id, tool, json }];
    const what = `the tool '${name}' of the MCP server '${server_label}'`;
    throw invalidRequest(
      `${param} approves a call of ${what}, which tools does not offer.`,
      param,
      'mcp_tool_not_offered',
    );
  });
}

/** Returns what the model is told of a call that the client has not approved. */
export function wordsOfDenial({ reason }: Approval['response']): string {
  return reason ? `The user has not approved this call: ${reason}` : 'The user has not approved this call.';
}

function approvalNotFound(id: string, param: string) {
  const where = 'The request must be in the input, in the conversation or in the previous response.';
  return invalidRequest(`Approval request with id '${id}' not found. ${where}`, param, 'approval_request_not_found');
}
