import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/api/fields/fields.ts';
import { countTokensRequestSchema, messagesRequestSchema } from '../../../src/api/messages/schema.ts';
import { messageBody } from './fixtures.ts';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
const tool = { name: 'add', input_schema: { type: 'object' } };
const user = (...content: object[]) => [{ role: 'user', content }];
const result = (...content: object[]) => user({ type: 'tool_result', tool_use_id: 'a', content });

/** What Anthropic's own clients send. */
const ACCEPTED: [field: string, value: unknown][] = [
  ['messages', user({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }, image, document)],
  ['messages', user({ type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } })],
  ['messages', user({ type: 'tool_result', tool_use_id: 'a' }, { type: 'text', text: 'go on' })],
  ['messages', user({ type: 'tool_result', tool_use_id: 'a', content: 'text', is_error: true })],
  ['messages', result({ type: 'text', text: 'a' }, image, document, { type: 'tool_reference', tool_name: 'add' })],
  ['messages', user({ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'a' }] })],
  ['messages', [{ role: 'system', content: 'Be kind.' }, ...user({ type: 'text', text: 'a' })]],
  [
    'messages',
    [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'paddock' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 'a', content: [] },
          { type: 'text', text: 'a', citations: null },
          { type: 'tool_use', id: 'b', name: 'add', input: { a: 1 }, caller: { type: 'direct' } },
        ],
      },
    ],
  ],
  ['messages', [{ role: 'system', output_config: { effort: 'low' } }, ...user({ type: 'text', text: 'a' })]],
  ['system', 'Be kind.'],
  ['system', [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }]],
  ['tools', [{ ...tool, defer_loading: true, strict: true, eager_input_streaming: true, type: 'custom' }]],
  [
    'tools',
    [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
      { type: 'bash_20250124', name: 'bash' },
    ],
  ],
  ['tools', [{ type: 'mcp_toolset', mcp_server_name: 'x' }]],
  ['tool_choice', { type: 'auto', disable_parallel_tool_use: true }],
  ['tool_choice', { type: 'none' }],
  ['thinking', { type: 'enabled', budget_tokens: 31_999 }],
  ['thinking', { type: 'adaptive', display: 'omitted' }],
  ['thinking', { type: 'disabled' }],
  ['output_config', { effort: 'max', format: { type: 'json_schema', schema: {} } }],
  ['output_config', { task_budget: { type: 'tokens', total: 1 } }],
  ['output_format', { type: 'json_schema', schema: {} }],
  ['stop_sequences', []],
  ['temperature', 1],
  ['top_k', 0],
  ['metadata', { user_id: 'a' }],
  ['context_management', { edits: [] }],
  ['speed', 'fast'],
];

const REFUSED: [field: string, value: unknown, message: string][] = [
  ['model', undefined, 'model is required.'],
  ['max_tokens', undefined, 'max_tokens is required.'],
  ['max_tokens', 0, 'max_tokens must be an integer of at least 1.'],
  ['messages', undefined, 'messages is required.'],
  ['messages', [], 'messages must have at least 1 message.'],
  ['messages', [{ role: 'tool', content: '' }], 'messages[0].role must be one of user, assistant, system.'],
  ['messages', ['hi'], 'messages[0] must be an object with role and content.'],
  ['messages', [{ role: 'user' }], 'messages[0].content is required.'],
  ['messages', [{ role: 'user', content: 5 }], 'messages[0].content must be a string or an array of blocks.'],
  [
    'messages',
    user({ type: 'video' }),
    'messages[0].content[0].type must be one of text, image, document, search_result, tool_result.',
  ],
  ['messages', user({ type: 'text' }), 'messages[0].content[0].text is required.'],
  [
    'messages',
    user({ type: 'image', source: { type: 'file', file_id: 'a' } }),
    'messages[0].content[0].source.type must be one of base64, url.',
  ],
  ['messages', user({ type: 'tool_result' }), 'messages[0].content[0].tool_use_id is required.'],
  [
    'messages',
    [{ role: 'assistant', content: [image] }],
    'messages[0].content[0].type must be one of text, thinking, tool_use.',
  ],
  [
    'messages',
    [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'add', input: 'x' }] }],
    'messages[0].content[0].input must be an object.',
  ],
  ['system', 5, 'system must be a string or an array of blocks.'],
  ['system', [image], 'system[0].type must be one of text.'],
  ['tools', {}, 'tools must be an array of tools.'],
  ['tools', [{ ...tool, input_schema: 'x' }], 'tools[0].input_schema must be a JSON schema object.'],
  ['tool_choice', 'auto', 'tool_choice must be an object with type.'],
  ['tool_choice', { type: 'required' }, 'tool_choice.type must be one of auto, any, tool, none.'],
  ['tool_choice', { type: 'tool' }, 'tool_choice.name is required.'],
  ['thinking', { type: 'enabled' }, 'thinking.budget_tokens is required.'],
  ['thinking', { type: 'on' }, 'thinking.type must be one of enabled, disabled, adaptive, between_tools.'],
  ['output_config', { effort: 'huge' }, 'output_config.effort must be one of low, medium, high, xhigh, max.'],
  [
    'output_config',
    { format: { type: 'grammar', schema: {} } },
    'output_config.format.type must be json_schema, the only supported type.',
  ],
  ['stop_sequences', 'x', 'stop_sequences must be an array of non-empty strings.'],
  ['stop_sequences', [''], 'stop_sequences[0] must not be empty.'],
  ['temperature', 1.5, 'temperature must be a number between 0 and 1.'],
  ['top_p', 2, 'top_p must be a number between 0 and 1.'],
  ['top_k', -1, 'top_k must be an integer of at least 0.'],
  ['stream', 'yes', 'stream must be a boolean.'],
];

describe('the schema of a message request', () => {
  it.each(ACCEPTED.map(([field, value]) => [field, JSON.stringify(value), value] as const))(
    'accepts %s: %s',
    (field, _, value) => {
      expect(() => validate(messagesRequestSchema, messageBody({ [field]: value }))).not.toThrow();
    },
  );

  it.each(
    REFUSED.map(([field, value, message]) => [field, JSON.stringify(value) ?? 'nothing', value, message] as const),
  )('refuses %s: %s', (field, _, value, message) => {
    expect(() => validate(messagesRequestSchema, messageBody({ [field]: value }))).toThrow(message);
  });

  it('takes null for a field that is absent', () => {
    const nothing = Object.fromEntries(Object.keys(messagesRequestSchema.entries).map((field) => [field, null]));
    const { model, messages, max_tokens } = messageBody();
    expect(() => validate(messagesRequestSchema, { ...nothing, model, messages, max_tokens })).not.toThrow();
  });
});

describe('the schema of a request to count tokens', () => {
  it('needs no max_tokens', () => {
    const { max_tokens: _, ...body } = messageBody();
    expect(() => validate(countTokensRequestSchema, body)).not.toThrow();
  });
});
