import { defineFamily } from '../family.ts';
import {
  type ApiSchema,
  array,
  enumeration,
  integer,
  nullable,
  object,
  ref,
  string,
  violations,
} from '../openapi/json-schema.ts';
import { anthropicErrors } from './errors.ts';
import { countMessageTokens, createMessage } from './handler.ts';
import { countTokensRequestSchema, messagesRequestSchema } from './schema.ts';

const nothing: ApiSchema = { type: 'null' };

const contentBlock: ApiSchema = {
  anyOf: [
    object({ type: { const: 'text' }, text: string, citations: array({}) }),
    object({ type: { const: 'thinking' }, thinking: string, signature: string }),
    object({
      type: { const: 'tool_use' },
      id: string,
      name: string,
      input: { type: 'object' },
      caller: object({ type: { const: 'direct' } }),
    }),
  ],
};

const stop = {
  stop_reason: nullable(enumeration('end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal')),
  stop_sequence: nullable(string),
  stop_details: nullable(
    object({
      type: { const: 'refusal' },
      category: nothing,
      explanation: nothing,
      fallback_credit_token: nothing,
      fallback_has_prefill_claim: nothing,
      recommended_model: nothing,
    }),
  ),
  container: nothing,
};

const usage = {
  input_tokens: integer,
  cache_creation_input_tokens: integer,
  cache_read_input_tokens: integer,
  output_tokens: integer,
  output_tokens_details: object({ thinking_tokens: integer }),
  server_tool_use: nothing,
  fallback_credit: nothing,
  iterations: nothing,
};

/** Anthropic's Messages. */
export const messages = defineFamily({
  dialect: anthropicErrors,
  errorPaths: ['/v1/messages'],
  routes: [
    {
      method: 'POST',
      path: '/v1/messages',
      handler: createMessage,
      id: 'createMessage',
      summary: "The reply of a model to a conversation in Anthropic's form, whole or as a stream of events.",
      body: { name: 'MessagesRequest', schema: messagesRequestSchema },
      response: 'Message',
      event: 'MessageEvent',
      namedEvents: true,
    },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      handler: countMessageTokens,
      id: 'countMessageTokens',
      summary: 'The tokens of the prompt that a conversation becomes.',
      body: { name: 'MessageTokensRequest', schema: countTokensRequestSchema },
      response: 'MessageTokens',
    },
  ],
  schemas: {
    Message: object(
      {
        id: string,
        type: { const: 'message' },
        role: { const: 'assistant' },
        model: string,
        content: array(contentBlock),
        ...stop,
        context_management: nothing,
        diagnostics: nothing,
        usage: object({
          ...usage,
          cache_creation: nothing,
          inference_geo: nothing,
          service_tier: nothing,
          speed: nothing,
        }),
      },
      violations,
    ),
    MessageEvent: {
      anyOf: [
        object({ type: { const: 'message_start' }, message: ref('Message') }),
        object({ type: { const: 'content_block_start' }, index: integer, content_block: contentBlock }),
        object({
          type: { const: 'content_block_delta' },
          index: integer,
          delta: {
            anyOf: [
              object({ type: { const: 'text_delta' }, text: string }),
              object({ type: { const: 'thinking_delta' }, thinking: string, estimated_tokens: nothing }),
              object({ type: { const: 'signature_delta' }, signature: string }),
              object({ type: { const: 'input_json_delta' }, partial_json: string }),
            ],
          },
        }),
        object({ type: { const: 'content_block_stop' }, index: integer }),
        object({
          type: { const: 'message_delta' },
          delta: object(stop, violations),
          context_management: nothing,
          usage: object(usage),
        }),
        object({ type: enumeration('message_stop', 'ping') }),
      ],
    },
    MessageTokens: object({ input_tokens: integer }),
    AnthropicError: object({
      type: { const: 'error' },
      error: object({ type: string, message: string, details: object({ error_code: string }) }),
      request_id: nullable(string),
    }),
  },
});
