import type { MessageCreateParams, Tool, ToolChoice } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/api/fields/fields.ts';
import { toGenerationRequest } from '../../../src/api/generation/request.ts';
import { toCountedConversation, toMessagesConversation } from '../../../src/api/messages/request.ts';
import { messagesRequestSchema } from '../../../src/api/messages/schema.ts';
import { modelCard } from '../fixtures.ts';
import { messageBody } from './fixtures.ts';

/** The conversation of a request with these fields, in the words of Anthropic's SDK. */
function conversation(more: Partial<MessageCreateParams> = {}) {
  return toMessagesConversation(validate(messagesRequestSchema, messageBody(more)));
}

const add: Tool = { name: 'add', description: 'Adds.', input_schema: { type: 'object', properties: {} } };

describe('tools', () => {
  it('are those of the client, with their schemas', () => {
    expect(conversation({ tools: [{ ...add, type: 'custom', cache_control: { type: 'ephemeral' } }] })).toMatchObject({
      tools: [{ name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } }],
      toolChoice: 'auto',
      parallelToolCalls: true,
    });
  });

  it('with a schema are those of the client, whatever their type', () => {
    const body = messageBody({ tools: [{ ...add, type: 'function' }] });
    expect(toMessagesConversation(validate(messagesRequestSchema, body)).tools).toHaveLength(1);
  });

  it('that are to be loaded later are there from the beginning', () => {
    expect(conversation({ tools: [{ ...add, defer_loading: true }] }).tools).toHaveLength(1);
  });

  it('that Anthropic defines are left out, not refused', () => {
    const tools: MessageCreateParams['tools'] = [
      { type: 'web_search_20250305', name: 'web_search' },
      add,
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ];
    expect(conversation({ tools }).tools.map(({ name }) => name)).toEqual(['add']);
    expect(conversation({ tools: tools.slice(0, 1), tool_choice: { type: 'auto' } })).toMatchObject({
      tools: [],
      toolChoice: 'none',
    });
  });

  it('are named by their places in the request, whatever is left out before them', () => {
    const tools = [{ type: 'bash_20250124' as const, name: 'bash' as const }, add];
    expect(conversation({ tools }).toolParams).toEqual(['tools[1].input_schema']);
    expect(() => conversation({ tools: [...tools, add] })).toThrow("tools[2].name is 'add'");
  });

  it.each<[object[], string]>([
    [[{ input_schema: {} }], 'tools[0].name is required.'],
    [[add, { name: 'list' }], 'tools[1].input_schema is required.'],
    [[add, add], "tools[1].name is 'add', as that of a tool before it."],
  ])('that are wrong are refused: %j', (tools, message) => {
    expect(() => conversation({ tools: tools as Tool[] })).toThrow(message);
  });
});

describe('tool_choice', () => {
  it.each<[ToolChoice, object]>([
    [{ type: 'auto' }, { toolChoice: 'auto', parallelToolCalls: true }],
    [{ type: 'any' }, { toolChoice: 'required', parallelToolCalls: true }],
    [{ type: 'tool', name: 'add' }, { toolChoice: { name: 'add' } }],
    [{ type: 'none' }, { toolChoice: 'none' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
  ])('%j', (tool_choice, expected) => {
    expect(conversation({ tools: [add], tool_choice })).toMatchObject(expected);
  });

  it('that names no tool of the client is refused, even one of Anthropic', () => {
    const tools: MessageCreateParams['tools'] = [add, { type: 'web_search_20250305', name: 'web_search' }];
    const choose = () => conversation({ tools, tool_choice: { type: 'tool', name: 'web_search' } });
    expect(choose).toThrow("tool_choice names the function 'web_search', which is not among the tools.");
    expect(() => conversation({ tool_choice: { type: 'any' } })).toThrow('tool_choice needs tools.');
  });
});

describe('thinking', () => {
  it.each<[Partial<MessageCreateParams>, string | undefined]>([
    [{}, undefined],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'high'],
    [{ output_config: { effort: 'low' } }, 'low'],
    [{ output_config: { effort: 'max' }, thinking: { type: 'adaptive' } }, 'xhigh'],
    [{ output_config: { effort: 'high' }, thinking: { type: 'disabled' } }, 'none'],
    [{ output_config: { effort: 'low' }, thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'low'],
  ])('%j is the effort %s', (fields, effort) => {
    expect(conversation(fields).reasoningEffort).toBe(effort);
  });
});

describe('the form of the reply', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };

  it('is free, or JSON of a schema', () => {
    expect(conversation().replyFormat).toEqual({ kind: 'text' });
    expect(conversation({ output_config: { format: { type: 'json_schema', schema } } }).replyFormat).toEqual({
      kind: 'schema',
      schema,
      param: 'output_config.format.schema',
    });
  });

  it('may be asked for by the older field', () => {
    const body = messageBody({ output_format: { type: 'json_schema', schema } });
    expect(toMessagesConversation(validate(messagesRequestSchema, body)).replyFormat).toEqual({
      kind: 'schema',
      schema,
      param: 'output_format.schema',
    });
  });
});

describe('a generation', () => {
  it('has the limits and the sampling of the request', () => {
    const body = { max_tokens: 7, temperature: 0.5, top_p: 0.9, top_k: 3, stop_sequences: ['a', 'b', 'c', 'd', 'e'] };
    expect(toGenerationRequest(conversation(body), modelCard(), [])).toMatchObject({
      maxTokens: 7,
      stop: ['a', 'b', 'c', 'd', 'e'],
      sampling: { temperature: 0.5, topP: 0.9, topK: 3 },
      choices: 1,
      cachePrompt: true,
      logprobs: null,
    });
  });
});

describe('the LoRA adapters of a message', () => {
  it("are those of the request, or the model's own", () => {
    const model = modelCard({ settings: { embedding: false, lora: [{ id: 'style', scale: 0.5 }] } });
    const loraOf = (body: object) => toGenerationRequest(conversation({ max_tokens: 7, ...body }), model, []).lora;
    expect(loraOf({})).toEqual([{ name: 'style', scale: 0.5 }]);
    expect(loraOf({ lora: [{ id: 0, scale: 2 }] })).toEqual([{ name: 'style', scale: 2 }]);
    expect(loraOf({ lora: [{ id: 'style', scale: 0 }] })).toBeUndefined();
  });
});

describe('a conversation without a word of the user', () => {
  it.each([
    [[{ role: 'user', content: '' }]],
    [[{ role: 'user', content: [] }]],
    [[{ role: 'system', content: 'Be kind.' }]],
  ] as const)('is refused: %j', (messages) => {
    expect(() => conversation({ messages: messages as unknown as MessageCreateParams['messages'] })).toThrow(
      'messages must have a user message that is not empty.',
    );
  });
});

describe('a conversation that ends with an assistant message', () => {
  const messages: MessageCreateParams['messages'] = [
    { role: 'user', content: 'A number?' },
    { role: 'assistant', content: 'Seven' },
  ];

  it('is refused: its text would have to begin the reply', () => {
    expect(() => conversation({ messages })).toThrow(/^messages must end with a user message: .*prefill/);
  });

  it('can be counted', () => {
    expect(toCountedConversation(validate(messagesRequestSchema, messageBody({ messages }))).messages).toHaveLength(2);
  });
});

describe('a thread', () => {
  it('is refused by the code at which the SDK sends the whole conversation instead', () => {
    const body = validate(messagesRequestSchema, messageBody({ thread: { type: 'create' } }));
    expect(() => toMessagesConversation(body)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ status: 400, code: 'thread_unsupported_request' }) }),
    );
  });
});
