import { describe, expect, it } from 'vitest';
import { functionary } from '../../../../src/core/chat/formats/functionary.ts';
import { hermes } from '../../../../src/core/chat/formats/hermes.ts';
import { toTemplateMessages } from '../../../../src/core/chat/formats/history.ts';
import { kimi } from '../../../../src/core/chat/formats/kimi.ts';
import { llama3 } from '../../../../src/core/chat/formats/llama3.ts';
import { mistral } from '../../../../src/core/chat/formats/mistral.ts';
import type { ChatMessage, ToolCall } from '../../../../src/core/runner.ts';

const call = (id: string, name: string, json = '{"a": 1}'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', content, tool_call_id: id });
const user: ChatMessage = { role: 'user', content: 'Hello' };
const two: ChatMessage[] = [
  user,
  { role: 'assistant', content: 'Sure.', tool_calls: [call('x', 'add'), call('y', 'now')] },
  result('y', 'noon'),
  result('x', '4'),
];

describe('messages for a template', () => {
  it('have an empty text instead of none', () => {
    expect(toTemplateMessages([{ role: 'assistant', content: null }], hermes)).toEqual([
      { role: 'assistant', content: '' },
    ]);
  });

  it('have no list of calls if it would be empty', () => {
    expect(toTemplateMessages([{ ...user, tool_calls: [] }], hermes)).toEqual([user]);
  });

  it('have the arguments of a call as an object, or unchanged if they are not JSON', () => {
    const message: ChatMessage = {
      role: 'assistant',
      content: '',
      tool_calls: [call('x', 'add'), call('y', 'f', '{')],
    };
    expect(toTemplateMessages([message], hermes)[0]?.tool_calls).toMatchObject([
      { id: 'x', function: { name: 'add', arguments: { a: 1 } } },
      { id: 'y', function: { name: 'f', arguments: '{' } },
    ]);
  });

  it('have the arguments as text if the format asks for it', () => {
    const message: ChatMessage = { role: 'assistant', content: '', tool_calls: [call('x', 'add')] };
    expect(toTemplateMessages([message], functionary)[0]?.tool_calls).toMatchObject([
      { function: { arguments: '{"a": 1}' } },
    ]);
  });

  it('have ids in the form of the format, for calls and results alike', () => {
    const more: ChatMessage = { role: 'assistant', content: null, tool_calls: [call('x', 'add')] };
    const ids = (format: typeof kimi) =>
      toTemplateMessages([...two, more, result('x', '5'), result('z', '6')], format)
        .map(({ tool_calls: calls, tool_call_id: id }) => (calls as ToolCall[] | undefined)?.map((one) => one.id) ?? id)
        .slice(1);
    expect(ids(kimi)).toEqual([
      ['functions.add:0', 'functions.now:1'],
      'functions.now:1',
      'functions.add:0',
      ['functions.add:0'],
      'functions.add:0',
      'functions.unknown:0',
    ]);
    expect(ids(mistral)).toEqual([
      ['000000000', '000000001'],
      '000000001',
      '000000000',
      ['000000002'],
      '000000002',
      '000000003',
    ]);
  });

  it('have one call each, with its result after it, if the format asks for it', () => {
    const messages = toTemplateMessages([...two, result('z', 'odd'), user], llama3);
    expect(messages).toMatchObject([
      user,
      { content: 'Sure.', tool_calls: [{ id: 'x' }] },
      { content: '4' },
      { content: '', tool_calls: [{ id: 'y' }] },
      { content: 'noon' },
      { content: 'odd' },
      user,
    ]);
    expect(messages).toHaveLength(7);
  });
});
