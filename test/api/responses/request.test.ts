import { describe, expect, it } from 'vitest';
import { toHead } from '../../../src/api/responses/request.ts';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import { modelCard } from '../fixtures.ts';
import { conversationOf, requestOf } from './fixtures.ts';

/** The messages of a request as texts; roles, calls and reasoning as they are. */
async function messagesOf(body: Record<string, unknown>) {
  const { messages } = await conversationOf(body);
  return messages.map(({ content, ...message }) => ({
    ...message,
    content: content?.map((part) => (part.kind === 'text' ? part.text : `<${part.media.kind}>`)).join('') ?? null,
  }));
}

const call = (id: string, name = 'add', json = '{}') => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: json,
  status: 'completed',
});
const result = (id: string, output: unknown) => ({ type: 'function_call_output', call_id: id, output });
const toolCall = (id: string, name = 'add', json = '{}'): NonNullable<ChatMessage['tool_calls']>[number] => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});
const reasoning = (more: object) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });
const functionTool = (name: string, more: object = {}) => ({ type: 'function', name, ...more });

const refusal = (param: string) =>
  expect.objectContaining({ data: expect.objectContaining({ status: 400, type: 'invalid_request_error', param }) });

describe('the input of a response', () => {
  it('may be a text, which the user says', async () => {
    expect(await messagesOf({ input: 'Hi.' })).toEqual([{ role: 'user', content: 'Hi.' }]);
  });

  it('has messages with or without a type, of a text or of parts', async () => {
    const input = [
      { role: 'user', content: 'one' },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'two', annotations: [] }],
      },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'thr' },
          { type: 'input_text', text: 'ee' },
        ],
      },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    ];
    expect(await messagesOf({ input })).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
      { role: 'assistant', content: 'no' },
    ]);
  });

  it('begins with one system message of the instructions and of all leading messages of the developer', async () => {
    const input = [
      { role: 'developer', content: 'Two.' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Three.' }] },
      { role: 'user', content: 'Hi.' },
      { role: 'developer', content: 'Later.' },
    ];
    expect(await messagesOf({ instructions: 'One.', input })).toEqual([
      { role: 'system', content: 'One.\n\nTwo.\n\nThree.' },
      { role: 'user', content: 'Hi.' },
      { role: 'system', content: 'Later.' },
    ]);
    expect(await messagesOf({ instructions: null, input: [input[0]] })).toEqual([{ role: 'system', content: 'Two.' }]);
  });

  it('has the calls of one turn in one message, and a message of the tool for each result', async () => {
    const input = [
      { role: 'user', content: 'Add.' },
      call('a', 'add', '{"n":1}'),
      call('b', 'now'),
      result('a', '2'),
      result('b', [
        { type: 'input_text', text: 'no' },
        { type: 'input_text', text: 'on' },
      ]),
      call('c'),
    ];
    expect(await messagesOf({ input })).toEqual([
      { role: 'user', content: 'Add.' },
      { role: 'assistant', content: null, tool_calls: [toolCall('a', 'add', '{"n":1}'), toolCall('b', 'now')] },
      { role: 'tool', content: '2', tool_call_id: 'a' },
      { role: 'tool', content: 'noon', tool_call_id: 'b' },
      { role: 'assistant', content: null, tool_calls: [toolCall('c')] },
    ]);
  });

  it('has what the model thought, wrote and called in one turn in one message', async () => {
    const content = [{ type: 'reasoning_text', text: 'Hm.' }];
    const summary = [{ type: 'summary_text', text: 'Hm, in short.' }];
    const input = [reasoning({ content, summary }), { role: 'assistant', content: 'Let me see.' }, call('a')];
    const whole = { content: 'Let me see.', tool_calls: [toolCall('a')] };
    expect(await messagesOf({ input })).toEqual([{ role: 'assistant', reasoning_content: 'Hm.', ...whole }]);
    expect((await messagesOf({ input: [reasoning({ summary }), call('a')] }))[0]?.reasoning_content).toBe(
      'Hm, in short.',
    );
    expect(await messagesOf({ input: [reasoning({ encrypted_content: 'xyz' }), ...input.slice(1)] })).toEqual([
      { role: 'assistant', ...whole },
    ]);
  });

  it('begins a new message where the model says or thinks something new', async () => {
    const said = { role: 'assistant', content: 'One.' };
    expect(await messagesOf({ input: [said, { ...said, content: 'Two.' }] })).toHaveLength(2);
    const thought = reasoning({ summary: [{ type: 'summary_text', text: 'Hm.' }] });
    expect(await messagesOf({ input: [said, thought, call('a')] })).toEqual([
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [toolCall('a')] },
    ]);
  });

  it('has calls of custom tools as calls with their input', async () => {
    const input = [
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'Done.' },
    ];
    expect(await messagesOf({ input })).toEqual([
      { role: 'assistant', content: null, tool_calls: [toolCall('a', 'patch', '{"input":"*** Begin"}')] },
      { role: 'tool', content: 'Done.', tool_call_id: 'a' },
    ]);
  });

  it('has images and recordings with their place in the request', async () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' };
    const audio = { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } };
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: 'Look.' }, image, audio] },
      result('a', [{ ...image, detail: 'auto' }]),
    ];
    const { messages } = await conversationOf({ input });
    const url = image.image_url;
    expect(messages[0]?.content?.slice(1)).toEqual([
      { kind: 'media', media: { kind: 'image', url, detail: 'low' }, param: 'input[0].content[1]' },
      { kind: 'media', media: { kind: 'audio', data: 'AA', format: 'wav' }, param: 'input[0].content[2]' },
    ]);
    expect(messages[1]?.content).toEqual([
      { kind: 'media', media: { kind: 'image', url }, param: 'input[1].output[0]' },
    ]);
  });

  it('has no ids, statuses or annotations in the prompt, since they mean nothing to a model', async () => {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] };
    const other = { ...item, id: 'msg_2', status: 'completed', phase: 'final_answer' };
    const bare = { type: 'function_call', call_id: 'a', name: 'add', arguments: '{}' };
    expect(await messagesOf({ input: [other, call('a')] })).toEqual(await messagesOf({ input: [item, bare] }));
  });

  it.each<[what: string, input: unknown, param: string]>([
    ['a file', [{ role: 'user', content: [{ type: 'input_file', file_data: 'AA' }] }], 'input[0].content[0]'],
    ['an image of a file', [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }], 'input[0].content[0]'],
    ['no item at all', [], 'input'],
    [
      'an item of another type',
      [
        { role: 'user', content: 'a' },
        { type: 'web_search_call', id: 'ws' },
      ],
      'input[1].type',
    ],
    ['a part of another type', [{ role: 'user', content: [{ type: 'input_smell' }] }], 'input[0].content[0].type'],
    ['another role', [{ role: 'tool', content: 'x' }], 'input[0].role'],
    ['a call without its id', [{ type: 'function_call', name: 'a', arguments: '{}' }], 'input[0].call_id'],
    ['a result without output', [{ type: 'function_call_output', call_id: 'a' }], 'input[0].output'],
    ['a number', 3, 'input'],
  ])('is refused by name with %s', async (_, input, param) => {
    await expect(conversationOf({ input })).rejects.toEqual(refusal(param));
  });
});

describe('the tools of a response', () => {
  const tools = [
    functionTool('add', { description: 'Adds.', parameters: { type: 'object' }, strict: true }),
    functionTool('now'),
  ];

  it('are the functions; tools that only other servers run are skipped', async () => {
    const others = [
      { type: 'web_search' },
      { type: 'namespace', name: 'm', tools: [] },
      { type: 'custom', name: 'patch' },
    ];
    const conversation = await conversationOf({ tools: [...others, ...tools, { type: 'yet_to_come' }] });
    expect(conversation.tools).toEqual([
      { name: 'add', description: 'Adds.', parameters: { type: 'object' } },
      { name: 'now' },
    ]);
    expect(conversation.toolChoice).toBe('auto');
    expect((await conversationOf({ tools: others })).toolChoice).toBe('none');
  });

  it('are named by their places in the request, whatever is skipped before them', async () => {
    const skipped = { type: 'web_search' };
    const { toolParams } = await conversationOf({ tools: [skipped, ...tools] });
    expect(toolParams).toEqual(['tools[1].parameters', 'tools[2].parameters']);
    await expect(conversationOf({ tools: [skipped, ...tools, tools[0]] })).rejects.toEqual(refusal('tools[3].name'));
  });

  it.each<[choice: unknown, expected: unknown]>([
    [null, 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ type: 'function', name: 'now' }, { name: 'now' }],
  ])('are called as tool_choice says: %j', async (tool_choice, expected) => {
    expect((await conversationOf({ tools, tool_choice })).toolChoice).toEqual(expected);
  });

  it('are only those that tool_choice allows', async () => {
    const allowed = [functionTool('now'), { type: 'web_search' }];
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: allowed };
    const conversation = await conversationOf({ tools, tool_choice });
    expect(conversation).toMatchObject({ allowedTools: ['now'], toolChoice: 'required' });
    expect(conversation.tools.map(({ name }) => name)).toEqual(['add', 'now']);
    const unknown = { ...tool_choice, tools: [functionTool('rm')] };
    await expect(conversationOf({ tools, tool_choice: unknown })).rejects.toEqual(refusal('tool_choice'));
  });

  it.each([['required'], [{ type: 'function', name: 'rm' }]])(
    'must include what tool_choice asks for: %j',
    async (tool_choice) => {
      const body = { tools: tool_choice === 'required' ? [{ type: 'web_search' }] : tools, tool_choice };
      await expect(conversationOf(body)).rejects.toEqual(refusal('tool_choice'));
    },
  );

  it.each<[what: string, body: Record<string, unknown>, param: string]>([
    ['without a name', { tools: [{ type: 'function' }] }, 'tools[0].name'],
    ['without a type', { tools: [{ name: 'add' }] }, 'tools[0].type'],
    ['with parameters that are no schema', { tools: [functionTool('add', { parameters: [] })] }, 'tools[0].parameters'],
    ['with a choice of a tool that only OpenAI runs', { tools, tool_choice: { type: 'web_search' } }, 'tool_choice'],
  ])('are refused by name %s', async (_, body, param) => {
    await expect(conversationOf(body)).rejects.toEqual(refusal(param));
  });
});

describe('the other fields of a response', () => {
  it.each<[body: Record<string, unknown>, expected: object]>([
    [{ max_output_tokens: 5 }, { maxTokens: 5 }],
    [{ max_output_tokens: null }, { maxTokens: undefined }],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [{ temperature: 0, top_p: 0.5, seed: 3 }, { sampling: { temperature: 0, top_p: 0.5, seed: 3 } }],
    [{ reasoning: { effort: 'low', summary: 'auto' } }, { reasoningEffort: 'low' }],
    [
      { reasoning: null, text: null, tools: null, tool_choice: null },
      { reasoningEffort: undefined, tools: [] },
    ],
    [{ text: { format: { type: 'text' }, verbosity: 'low' } }, { replyFormat: { kind: 'text' } }],
    [{ text: { format: { type: 'json_object' } } }, { replyFormat: { kind: 'json' } }],
    [
      { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } } },
      { replyFormat: { kind: 'schema', schema: { type: 'object' }, param: 'text.format.schema' } },
    ],
    [{}, { logprobs: null, maxTokens: undefined, parallelToolCalls: true }],
    [{ include: ['message.output_text.logprobs'] }, { logprobs: 0 }],
    [{ include: ['reasoning.encrypted_content'] }, { logprobs: null }],
    [{ top_logprobs: 3 }, { logprobs: 3 }],
  ])('are in the conversation: %j', async (body, expected) => {
    expect(await conversationOf(body)).toMatchObject(expected);
  });

  it.each<[body: Record<string, unknown>, param: string]>([
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ temperature: 3 }, 'temperature'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ metadata: 'x' }, 'metadata'],
    [{ truncation: 'sometimes' }, 'truncation'],
    [{ previous_response_id: 'resp_none' }, 'previous_response_id'],
  ])('are refused by name when they are wrong: %j', async (body, param) => {
    await expect(conversationOf(body)).rejects.toEqual(refusal(param));
  });

  it('come back in the response, with the values that hold where the request has none', () => {
    const model = modelCard({ parameters: { temperature: 0.2 } });
    expect(toHead(requestOf(), model, 1_700_000_000_500)).toMatchObject({
      id: expect.stringMatching(/^resp_\w+$/),
      object: 'response',
      created_at: 1_700_000_000,
      model: 'tiny',
      instructions: null,
      temperature: 0.2,
      top_p: 0.95,
      metadata: {},
      store: true,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
    });
    const asked = {
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 1,
      store: false,
      tools: [functionTool('now')],
    };
    expect(toHead(requestOf(asked), model, 0)).toMatchObject({
      ...asked,
      tools: [{ type: 'function', name: 'now', description: null, parameters: null, strict: false }],
    });
  });
});
