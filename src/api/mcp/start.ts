import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import type { Conversation } from '../generation/conversation.ts';
import { readGeneration, runGeneration, startGeneration } from '../generation/start.ts';
import type { ApiRequest } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { callTool } from './call.ts';
import type { ReplyEvent } from './events.ts';
import { MCP_LIMITS } from './limits.ts';
import { type McpLoop, runMcpLoop } from './loop.ts';

/** A running reply, and the controller that ends it and its calls. */
export interface McpReply {
  events: AsyncIterable<ReplyEvent>;
  /** Aborted when the client leaves. */
  cancel: AbortController;
}

export interface McpReplyOptions extends Pick<McpLoop, 'offer' | 'listings' | 'approved'> {
  /** As in `startGeneration`. */
  overflow: 'length' | 'error';
  /** The most calls that the client allows; null if it sets no limit. */
  mostCalls: number | null;
}

/** Does the same as `startGeneration`, and runs the tools of MCP servers that the request offers. */
export async function startMcpReply(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  conversation: Conversation,
  { offer, listings, approved, overflow, mostCalls }: McpReplyOptions,
): Promise<McpReply> {
  if (offer.tools.length + listings.length === 0)
    return startGeneration(context, request, model, conversation, overflow);
  const cancel = cancelWith(request.signal);
  const { signal } = cancel;
  const { param = 'messages' } = conversation;
  const generation = await readGeneration(context, signal, model, conversation);
  const events = runMcpLoop({
    generation,
    offer,
    listings,
    approved,
    limits: { ...MCP_LIMITS, calls: Math.min(MCP_LIMITS.calls, mostCalls ?? MCP_LIMITS.calls) },
    run: (next) => runGeneration(context, cancel, model, next, { overflow, param }),
    call: (tool, json, ms) => callTool(tool, json, { ms, signal, log: context.log }),
  });
  return { events, cancel };
}
