import { defineFamily } from '../family.ts';
import {
  array,
  boolean,
  enumeration,
  integer,
  nullable,
  number,
  object,
  ref,
  string,
  violations,
} from '../openapi/json-schema.ts';
import { countInputTokens, createResponse, deleteResponse, getResponse } from './handler.ts';
import { responseRequestSchema } from './schema.ts';

const status = enumeration('in_progress', 'completed', 'incomplete');
const token = { token: string, logprob: number, bytes: array(integer) };

const outputText = object({
  type: { const: 'output_text' },
  text: string,
  annotations: array({ type: 'object' }),
  logprobs: array(object({ ...token, top_logprobs: array(object(token)) })),
});

const message = object({
  type: { const: 'message' },
  id: string,
  status,
  role: { const: 'assistant' },
  content: array(outputText),
});

const functionCall = object({
  type: { const: 'function_call' },
  id: string,
  status,
  call_id: string,
  name: string,
  arguments: string,
});

const reasoning = object({
  type: { const: 'reasoning' },
  id: string,
  status,
  summary: array(object({ type: { const: 'summary_text' }, text: string })),
  content: array(object({ type: { const: 'reasoning_text' }, text: string })),
});

const mcpTool = object({
  name: string,
  description: string,
  input_schema: { type: 'object' },
  annotations: object({ read_only: boolean }),
});

const mcpList = object({
  type: { const: 'mcp_list_tools' },
  id: string,
  server_label: string,
  tools: array(mcpTool),
  error: nullable(string),
});

const mcpCall = object({
  type: { const: 'mcp_call' },
  id: string,
  status: enumeration('in_progress', 'completed', 'incomplete', 'failed'),
  server_label: string,
  name: string,
  arguments: string,
  approval_request_id: nullable(string),
  output: nullable(string),
  error: nullable(string),
});

const mcpApproval = object({
  type: { const: 'mcp_approval_request' },
  id: string,
  server_label: string,
  name: string,
  arguments: string,
});

const item = { anyOf: [message, functionCall, reasoning, mcpList, mcpCall, mcpApproval] };

/** OpenAI's responses, which agents speak. */
export const responses = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/responses',
      handler: createResponse,
      id: 'createResponse',
      summary: "The reply of a model to a conversation, in OpenAI's newer form, whole or as a stream of events.",
      body: { name: 'ResponseRequest', schema: responseRequestSchema },
      response: 'Response',
      event: 'ResponseEvent',
      namedEvents: true,
    },
    {
      method: 'POST',
      path: '/v1/responses/input_tokens',
      handler: countInputTokens,
      id: 'countInputTokens',
      summary: 'The number of tokens that the prompt of a response would have.',
      body: { name: 'ResponseRequest', schema: responseRequestSchema },
      response: 'InputTokens',
    },
    {
      method: 'GET',
      path: '/v1/responses/{response_id}',
      handler: getResponse,
      id: 'getResponse',
      summary: 'A response that is still stored.',
      response: 'Response',
    },
    {
      method: 'DELETE',
      path: '/v1/responses/{response_id}',
      handler: deleteResponse,
      id: 'deleteResponse',
      summary: 'Forgets a response.',
      response: 'DeletedResponse',
    },
  ],
  schemas: {
    ResponseUsage: object({
      input_tokens: integer,
      input_tokens_details: object({ cached_tokens: integer, cache_write_tokens: integer }),
      output_tokens: integer,
      output_tokens_details: object({ reasoning_tokens: integer }),
      total_tokens: integer,
    }),
    Response: object(
      {
        id: string,
        object: { const: 'response' },
        created_at: integer,
        completed_at: nullable(integer),
        status: enumeration('in_progress', 'completed', 'incomplete', 'failed'),
        model: string,
        output: array(item),
        error: nullable(object({ code: string, message: string })),
        incomplete_details: nullable(object({ reason: enumeration('max_output_tokens', 'content_filter') })),
        background: boolean,
        instructions: nullable(string),
        max_output_tokens: nullable(integer),
        metadata: { type: 'object' },
        parallel_tool_calls: boolean,
        previous_response_id: nullable(string),
        reasoning: object({ effort: nullable(string), summary: nullable(string) }),
        store: boolean,
        temperature: number,
        text: object({ format: { type: 'object' } }),
        tool_choice: { anyOf: [string, { type: 'object' }] },
        tools: array({ type: 'object' }),
        top_logprobs: integer,
        top_p: number,
        truncation: string,
      },
      { max_tool_calls: integer, usage: ref('ResponseUsage'), timings: ref('Timings'), ...violations },
    ),
    ResponseEvent: object(
      { type: string, sequence_number: integer },
      {
        response: ref('Response'),
        item,
        item_id: string,
        output_index: integer,
        content_index: integer,
        summary_index: integer,
        part: { type: 'object' },
        delta: string,
        text: string,
        logprobs: array({ type: 'object' }),
        name: string,
        arguments: string,
      },
    ),
    InputTokens: object({ object: { const: 'response.input_tokens' }, input_tokens: integer }),
    DeletedResponse: object({ id: string, object: { const: 'response' }, deleted: boolean }),
  },
});
