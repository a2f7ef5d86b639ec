import { describe, expect, it } from 'vitest';
import { toChatConversation } from '../../../src/api/chat/request.ts';
import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';

const LOOK = { name: 'look', description: 'Looks', parameters: { type: 'object' } };
const USER = { role: 'user', content: 'Look!' };

const read = (more: object) =>
  toChatConversation(validate(chatRequestSchema, { model: 'tiny', messages: [USER], ...more }));

const refusal = (param: string) => expect.objectContaining({ data: expect.objectContaining({ status: 400, param }) });

describe('functions and function_call', () => {
  it('are tools of which one is called', () => {
    const conversation = read({ functions: [LOOK] });
    expect(conversation).toMatchObject({
      tools: [expect.objectContaining({ name: 'look' })],
      toolChoice: 'auto',
      parallelToolCalls: false,
    });
    expect(read({ functions: [LOOK], function_call: 'none' }).toolChoice).toBe('none');
    expect(read({ functions: [LOOK], function_call: { name: 'look' } }).toolChoice).toEqual({ name: 'look' });
  });

  it('in a conversation are calls and results with ids', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } };
    const result = { role: 'function', name: 'look', content: 'A cat.' };
    const { messages } = read({ functions: [LOOK], messages: [USER, call, result, call, result] });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(messages.map(({ tool_calls }) => tool_calls?.[0])).toEqual([
      undefined,
      { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } },
      undefined,
      { id: 'call_3', type: 'function', function: { name: 'look', arguments: '{}' } },
      undefined,
    ]);
    expect(messages.map(({ tool_call_id }) => tool_call_id)).toEqual([
      undefined,
      undefined,
      'call_1',
      undefined,
      'call_3',
    ]);
    // Programs send the earlier calls along when they offer no function any more.
    expect(read({ messages: [USER, call, result] }).messages).toHaveLength(3);
  });

  it.each<[fields: object, param: string]>([
    [{ functions: [LOOK], tools: [{ type: 'function', function: LOOK }] }, 'tools'],
    [{ functions: [LOOK], tool_choice: 'auto' }, 'tool_choice'],
    [{ functions: [LOOK], function_call: { name: 'see' } }, 'function_call'],
    [{ function_call: { name: 'look' } }, 'function_call'],
    [{ functions: [LOOK], function_call: 'required' }, 'function_call'],
    [{ functions: [{}] }, 'functions[0].name'],
    [{ messages: [USER, { role: 'function', content: 'A cat.' }] }, 'messages[1].name'],
  ])('are refused, and the field is named: %j', (fields, param) => {
    expect(() => read(fields)).toThrow(refusal(param));
  });

  it('of null count as absent', () => {
    const tools = [{ type: 'function', function: LOOK }];
    expect(read({ functions: null, function_call: null, tools }).parallelToolCalls).toBe(true);
  });
});
