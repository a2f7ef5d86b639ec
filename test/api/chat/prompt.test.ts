import { describe, expect, it } from 'vitest';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import type { ChatPrompt } from '../../../src/contract/prompt.ts';
import { chatGeneration } from '../fixtures.ts';

/** Returns the conversation of a request. */
function promptOf(body: Record<string, unknown>, model: Partial<ModelCard> = {}): ChatPrompt {
  const { prompt } = chatGeneration(body, model);
  if (prompt.kind !== 'chat') throw new Error('the prompt is no conversation');
  return prompt;
}

const functionTool = (name: string, more: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name, ...more },
});

const refusal = (param: string) =>
  expect.objectContaining({
    data: expect.objectContaining({ status: 400, type: 'invalid_request_error', param }),
  });

describe('tools of a generation', () => {
  const tools = [functionTool('add'), functionTool('now')];

  it('have a name, and a description and parameters if there are any', () => {
    const parameters = { type: 'object', properties: { a: { type: 'integer' } } };
    const described = [
      functionTool('add', { description: 'Adds.', parameters, strict: true }),
      functionTool('now', { description: null, parameters: null }),
    ];
    expect(promptOf({ tools: described }).tools).toEqual([
      { name: 'add', description: 'Adds.', parameters },
      { name: 'now' },
    ]);
  });

  it.each<[choice: unknown, expected: unknown]>([
    [undefined, 'auto'],
    [null, 'auto'],
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    ['any', 'required'],
    [functionTool('now'), { name: 'now' }],
  ])('are called as tool_choice says: %j', (choice, expected) => {
    expect(promptOf({ tools, tool_choice: choice }).toolChoice).toEqual(expected);
  });

  it.each([[undefined], [null], [[]]])('are never called when there are none: %j', (none) => {
    expect(promptOf({ tools: none }).toolChoice).toBe('none');
    expect(promptOf({ tools: none, tool_choice: 'auto' }).toolChoice).toBe('none');
    expect(promptOf({ tools: none, tool_choice: 'none' }).toolChoice).toBe('none');
  });

  it.each([['required'], [functionTool('add')]])('are required if one must be called: %j', (choice) => {
    expect(() => promptOf({ tool_choice: choice })).toThrow(refusal('tool_choice'));
  });

  it('must include the one that tool_choice names', () => {
    const named = () => promptOf({ tools, tool_choice: functionTool('rm') });
    expect(named).toThrow(refusal('tool_choice'));
    expect(named).toThrow("'rm'");
  });

  const allowed = (mode: string, ...names: string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map((name) => functionTool(name)) },
  });

  it.each([['auto'], ['required']])('may be a part of them alone, with all of them shown: %s', (mode) => {
    expect(promptOf({ tools, tool_choice: allowed(mode, 'now') })).toMatchObject({
      tools: [{ name: 'add' }, { name: 'now' }],
      toolChoice: mode,
      allowedTools: ['now'],
    });
    expect(promptOf({ tools, tool_choice: 'auto' })).not.toHaveProperty('allowedTools');
  });

  it('must include those that allowed_tools names', () => {
    const named = () => promptOf({ tools, tool_choice: allowed('auto', 'now', 'rm') });
    expect(named).toThrow(refusal('tool_choice'));
    expect(named).toThrow("'rm'");
    expect(() => promptOf({ tool_choice: allowed('auto', 'now') })).toThrow(refusal('tool_choice'));
  });

  it('have a name each, that no other has', () => {
    const twice = () => promptOf({ tools: [...tools, functionTool('add')] });
    expect(twice).toThrow(refusal('tools[2].function.name'));
    expect(twice).toThrow("'add'");
  });

  it('may be called several at once unless the request says otherwise', () => {
    expect(promptOf({ tools }).parallelToolCalls).toBe(true);
    expect(promptOf({ tools, parallel_tool_calls: false }).parallelToolCalls).toBe(false);
  });
});

describe('messages of a generation', () => {
  const messagesOf = (messages: unknown[], model: Partial<ModelCard> = {}) => promptOf({ messages }, model).messages;

  it('treat the role developer as system', () => {
    expect(messagesOf([{ role: 'developer', content: 'Be brief.' }])).toEqual([
      { role: 'system', content: 'Be brief.' },
    ]);
  });

  it('keep names, tool calls and the ids that they answer', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'x', name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '4', tool_call_id: 'call_1' },
    ];
    expect(messagesOf(messages)).toEqual(messages);
  });

  it('treat null as an absent field', () => {
    const message = { role: 'assistant', content: 'x', name: null, tool_calls: null, tool_call_id: null };
    expect(messagesOf([message])).toEqual([{ role: 'assistant', content: 'x' }]);
  });

  it.each([
    [{ reasoning_content: 'Hm.' }],
    [{ reasoning: 'Hm.' }],
    [{ reasoning_content: 'Hm.', reasoning: 'Other.' }],
    [
      {
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    [
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    [
      {
        content: [
          { type: 'thinking', thinking: 'H' },
          { type: 'thinking', thinking: 'm.' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
  ])('of the assistant keep what it thought: %j', (more) => {
    expect(messagesOf([{ role: 'assistant', content: 'x', ...more }])).toEqual([
      { role: 'assistant', content: 'x', reasoning_content: 'Hm.' },
    ]);
  });

  it('have no thoughts where there are none, or where another one writes', () => {
    for (const none of ['', null]) {
      expect(messagesOf([{ role: 'assistant', content: 'x', reasoning_content: none }])).toEqual([
        { role: 'assistant', content: 'x' },
      ]);
    }
    expect(messagesOf([{ role: 'user', content: 'x', reasoning_content: 'Hm.' }])).toEqual([
      { role: 'user', content: 'x' },
    ]);
  });

  it('take a refusal for its text', () => {
    const refused = [{ role: 'assistant', content: 'No.' }];
    expect(messagesOf([{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }])).toEqual(refused);
    expect(messagesOf([{ role: 'assistant', content: null, refusal: 'No.' }])).toEqual(refused);
    expect(messagesOf([{ role: 'assistant', content: 'No.', refusal: null }])).toEqual(refused);
  });

  it("begin with the model's system prompt when the conversation has none", () => {
    const model = { settings: { embedding: false, system_prompt: 'You are kind.' } };
    const user = { role: 'user', content: 'x' };
    expect(messagesOf([user], model)).toEqual([{ role: 'system', content: 'You are kind.' }, user]);
    const own = { role: 'system', content: 'Be brief.' };
    expect(messagesOf([own, user], model)).toEqual([own, user]);
    expect(messagesOf([{ ...own, role: 'developer' }, user], model)).toEqual([own, user]);
  });

  it('join the text parts of a content as they are', () => {
    const content = [
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
    ];
    expect(messagesOf([{ role: 'user', content }])).toEqual([{ role: 'user', content: 'one two' }]);
    expect(messagesOf([{ role: 'user', content: [] }])).toEqual([{ role: 'user', content: '' }]);
  });
});

describe('template variables of a generation', () => {
  it.each([
    [{ reasoning_effort: 'low' }, { reasoning_effort: 'low', enable_thinking: true }],
    [{ reasoning_effort: 'none' }, { reasoning_effort: 'none', enable_thinking: false }],
    [
      { reasoning_effort: 'none', chat_template_kwargs: { enable_thinking: true, a: 1 } },
      { reasoning_effort: 'none', enable_thinking: true, a: 1 },
    ],
  ])('have the effort, unless the request sets its own value for it: %j', (body, kwargs) => {
    expect(promptOf(body).templateKwargs).toEqual(kwargs);
  });
});
