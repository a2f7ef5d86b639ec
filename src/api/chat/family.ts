import { defineFamily } from '../family.ts';
import {
  array,
  completionHeadProperties,
  enumeration,
  finishReason,
  integer,
  nullable,
  number,
  object,
  ref,
  string,
  violations,
} from '../openapi/json-schema.ts';
import { createChatCompletion } from './handler.ts';
import { chatRequestSchema } from './schema.ts';

const tokenLogprob = { token: string, logprob: number, bytes: array(integer) };

const toolCall = {
  anyOf: [
    object({ id: string, type: { const: 'function' }, function: object({ name: string, arguments: string }) }),
    object({ id: string, type: { const: 'custom' }, custom: object({ name: string, input: string }) }),
  ],
};

const executedTool = object(
  { index: integer, type: enumeration('mcp', 'mcp_list_tools'), server_label: string, error: nullable(string) },
  { name: string, arguments: string, output: nullable(string) },
);

const chatMessage = object(
  { role: { const: 'assistant' }, content: nullable(string) },
  {
    reasoning_content: string,
    executed_tools: array(executedTool),
    tool_calls: array(toolCall),
    function_call: object({ name: string, arguments: string }),
  },
);

const chatDelta = object(
  {},
  {
    role: { const: 'assistant' },
    content: string,
    reasoning_content: string,
    executed_tools: array(executedTool),
    function_call: object({ arguments: string }, { name: string }),
    tool_calls: array(
      object(
        { index: integer },
        {
          function: object({ arguments: string }, { name: string }),
          custom: object({ input: string }, { name: string }),
        },
      ),
    ),
  },
);

/** Chat completions. */
export const chat = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      handler: createChatCompletion,
      id: 'createChatCompletion',
      summary: 'The reply of a model to a conversation, whole or as a stream of events.',
      body: { name: 'ChatCompletionRequest', schema: chatRequestSchema },
      response: 'ChatCompletion',
      event: 'ChatCompletionChunk',
    },
  ],
  schemas: {
    ChatLogprobs: object({ content: array(object({ ...tokenLogprob, top_logprobs: array(object(tokenLogprob)) })) }),
    ChatCompletion: object({
      ...completionHeadProperties('chat.completion'),
      choices: array(
        object(
          {
            index: integer,
            message: chatMessage,
            logprobs: nullable(ref('ChatLogprobs')),
            finish_reason: finishReason,
          },
          violations,
        ),
      ),
      usage: ref('Usage'),
      timings: ref('Timings'),
    }),
    ChatCompletionChunk: object(
      {
        ...completionHeadProperties('chat.completion.chunk'),
        choices: array(
          object(
            {
              index: integer,
              delta: chatDelta,
              logprobs: nullable(ref('ChatLogprobs')),
              finish_reason: nullable(finishReason),
            },
            violations,
          ),
        ),
      },
      { prompt_progress: ref('PromptProgress'), usage: ref('Usage'), timings: ref('Timings') },
    ),
  },
});
