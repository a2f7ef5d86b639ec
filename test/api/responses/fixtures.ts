import { validate } from '../../../src/api/fields/fields.ts';
import type { Conversation } from '../../../src/api/generation/conversation.ts';
import type { ApiRequest } from '../../../src/api/http/http.ts';
import { type McpOffer, NO_OFFER } from '../../../src/api/mcp/offer.ts';
import { openApprovals } from '../../../src/api/responses/approvals.ts';
import { resolveInput } from '../../../src/api/responses/input.ts';
import type { ResponseObject } from '../../../src/api/responses/objects.ts';
import { toResponsesConversation } from '../../../src/api/responses/request.ts';
import { type ResponseRequest, responseRequestSchema } from '../../../src/api/responses/schema.ts';
import { createResponseStore } from '../../../src/api/responses/store.ts';
import { post } from '../fixtures.ts';

export const hello = { model: 'tiny', input: 'Hello' };

/** A request for a response. */
export function respond(body: Record<string, unknown> = {}, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return post('/v1/responses', { ...hello, ...body }, overrides);
}

/** A validated body. */
export function requestOf(body: Record<string, unknown> = {}): ResponseRequest {
  return validate(responseRequestSchema, { ...hello, ...body });
}

/** The conversation that a body asks for, with nothing stored. */
export async function conversationOf(
  body: Record<string, unknown> = {},
  offer: McpOffer = NO_OFFER,
): Promise<Conversation> {
  const request = requestOf(body);
  const items = await resolveInput(request, createResponseStore(), 'somebody');
  return toResponsesConversation(request, items, { offer, approvals: openApprovals(items) });
}

/** A response that has ended, with one message. */
export function responseObject(overrides: Partial<ResponseObject> = {}): ResponseObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    completed_at: 1_700_000_001,
    status: 'completed',
    model: 'tiny',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    output: [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi.', annotations: [], logprobs: [] }],
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 0.7,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 0.95,
    truncation: 'disabled',
    ...overrides,
  };
}

/** An event of a stream: its name and its data, which say the same type. */
export interface ReadEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a stream says is checked by the tests, not by types.
  data: any;
}

/** Reads a stream of named events. Comments are left out. Throws if it is not valid SSE. */
export function readEvents(stream: string): ReadEvent[] {
  if (!stream.endsWith('\n\n')) throw new Error('the stream does not end with a blank line');
  return stream
    .slice(0, -2)
    .split('\n\n')
    .filter((event) => !event.startsWith(':'))
    .map((event) => {
      const [, name = '', data = ''] = /^event: (\S+)\ndata: ([^\n]*)$/.exec(event) ?? [];
      if (name === '') throw new Error(`not a named event: ${event}`);
      return { event: name, data: JSON.parse(data) };
    });
}
