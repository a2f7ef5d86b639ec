import { withoutMarks } from '../../chat/media-marks.ts';
import type { GenerationDone, GenerationEvent } from '../../contract/events.ts';
import type { GenerationRequest } from '../../contract/generation-request.ts';
import type { ChatMessage, ChatPrompt, ToolChoice } from '../../contract/prompt.ts';
import type { ToolResult } from '../../utils/mcp-result.ts';
import type { ChatGeneration } from '../generation/request.ts';
import { failure } from './call.ts';
import type { McpEvent, ReplyEvent } from './events.ts';
import type { McpLimits } from './limits.ts';
import type { McpOffer, OfferedListing, OfferedTool } from './offer.ts';
import { createRound, type EndedRound, type RoundCall } from './round.ts';
import { addUp } from './totals.ts';

/** A call that the client has approved. It runs before the model goes on. */
export interface ApprovedCall {
  /** The `tool_call_id` of the message in the prompt that gets the result. */
  callId: string;
  approvalId: string;
  tool: OfferedTool;
  /** The arguments, as JSON text. */
  json: string;
}

export interface McpLoop {
  /** The first generation. */
  generation: ChatGeneration;
  offer: McpOffer;
  /** The lists of tools that the client is told of. */
  listings: OfferedListing[];
  approved: ApprovedCall[];
  /** The limits, with the most calls that the client allows. */
  limits: Pick<McpLimits, 'calls' | 'callMs' | 'totalMs'>;
  /** Runs a generation. */
  run: (generation: GenerationRequest) => AsyncIterable<GenerationEvent>;
  /** Calls a tool for `ms` at most. */
  call: (tool: OfferedTool, json: string, ms: number) => Promise<ToolResult>;
  /** A clock in ms. */
  now?: () => number;
}

/**
 * Replies to a conversation, and runs the tools of MCP servers that the model calls: the results go into the next
 * prompt. Ends with a reply that calls no tool of a server, or that also calls a tool of the client's or a tool that
 * the client has to approve. At a limit, the model has to answer without further calls. Calls run one after the other,
 * in the model's order, because one may need what another has done.
 */
export async function* runMcpLoop(loop: McpLoop): AsyncGenerator<ReplyEvent> {
  const { generation, offer, approved, run } = loop;
  const caller = createCaller(loop);
  const toolOf = (name: string) => offer.tools.find((tool) => tool.name === name);
  const listed = loop.listings.map((listing): McpEvent => ({ kind: 'mcpListed', listing }));
  let request = generation;
  let numbered = approved.length;
  let total: GenerationDone | null = null;

  if (approved.length > 0) yield* listed.splice(0);
  for (const [call, { callId, approvalId, tool, json }] of approved.entries()) {
    yield { kind: 'mcpCall', call, tool, approvalId };
    yield { kind: 'mcpArguments', call, text: json };
    const { text } = yield* caller.run(call, tool, json);
    request = withPrompt(request, { messages: fillResult(request.prompt.messages, callId, text) });
  }
  while (true) {
    const round = createRound(toolOf, numbered);
    for await (const event of run(request)) {
      // An error before the first event becomes a status code, so the lists wait for it.
      yield* listed.splice(0);
      yield* round.read(event);
    }
    const ended = round.end();
    numbered += ended.calls.length;
    total = addUp(total, ended.done);
    const results = yield* runCalls(ended, caller);
    const next: ChatGeneration | null = results && goOn(request, ended, results, caller.isSpent());
    if (!next) {
      yield ended.finish;
      yield total;
      return;
    }
    const left = generation.maxTokens === null ? null : generation.maxTokens - total.completionTokens;
    if (left !== null && left <= 0) {
      yield { ...ended.finish, reason: 'length' };
      yield total;
      return;
    }
    request = { ...next, maxTokens: left };
  }
}

type Caller = ReturnType<typeof createCaller>;

/** Runs calls until a limit is reached. */
function createCaller({ limits, call: callTool, now = () => performance.now() }: McpLoop) {
  const began = now();
  let left = limits.calls;
  const timeLeft = () => limits.totalMs - (now() - began);
  return {
    isSpent: () => left <= 0 || timeLeft() <= 0,
    async *run(call: number, tool: OfferedTool, json: string): AsyncGenerator<McpEvent, ToolResult> {
      yield { kind: 'mcpCalling', call };
      const result = await outcome(tool, json);
      yield { kind: 'mcpCalled', call, result };
      return result;
    },
  };

  async function outcome(tool: OfferedTool, json: string): Promise<ToolResult> {
    if (left <= 0) return failure(`The call was not made: a reply may have ${limits.calls} calls.`);
    if (timeLeft() <= 0)
      return failure(`The call was not made: calls may run for ${Math.round(limits.totalMs / 1000)} s in a reply.`);
    left -= 1;
    return callTool(tool, json, Math.min(limits.callMs, timeLeft()));
  }
}

/**
 * Runs the calls of a generation, and asks for the approvals that it needs. Returns the results, or null if the reply
 * ends here: with the last generation, or because the client has to answer first.
 */
async function* runCalls(
  { calls, finish }: EndedRound,
  caller: Caller,
): AsyncGenerator<McpEvent, Map<RoundCall, string> | null> {
  // A generation that was cut may have incomplete arguments.
  if (finish.reason !== 'tool_calls') return null;
  const results = new Map<RoundCall, string>();
  for (const call of calls) {
    const { tool, json, number } = call;
    if (tool?.asks) yield { kind: 'mcpApproval', tool, json };
    else if (tool) results.set(call, (yield* caller.run(number, tool, json)).text);
  }
  return results.size === calls.length ? results : null;
}

/** Returns the next generation: the same conversation with the calls and their results. */
function goOn(
  request: ChatGeneration,
  { message }: EndedRound,
  results: Map<RoundCall, string>,
  isSpent: boolean,
): ChatGeneration {
  const told = [...results].map(
    ([{ id }, text]): ChatMessage => ({ role: 'tool', content: withoutMarks(text), tool_call_id: id }),
  );
  // A call that the request forces is made once.
  const toolChoice: ToolChoice = isSpent ? 'none' : 'auto';
  return withPrompt(request, { messages: [...request.prompt.messages, message, ...told], toolChoice });
}

function fillResult(messages: ChatMessage[], callId: string, text: string): ChatMessage[] {
  return messages.map((message) =>
    message.role === 'tool' && message.tool_call_id === callId ? { ...message, content: withoutMarks(text) } : message,
  );
}

function withPrompt(request: ChatGeneration, changes: Partial<ChatPrompt>): ChatGeneration {
  return { ...request, prompt: { ...request.prompt, ...changes } };
}
