import { describe, expect, it } from 'vitest';
import { functionary } from '../../../src/chat/formats/families/functionary.ts';
import { harmony } from '../../../src/chat/formats/families/harmony.ts';
import { hermes } from '../../../src/chat/formats/families/hermes.ts';
import { kimi } from '../../../src/chat/formats/families/kimi.ts';
import { llama3 } from '../../../src/chat/formats/families/llama3.ts';
import { mistral } from '../../../src/chat/formats/families/mistral.ts';
import { toTemplateMessages } from '../../../src/chat/formats/history.ts';
import { formats } from '../../../src/chat/formats/index.ts';
import type { ChatMessage, ToolCall } from '../../../src/contract/prompt.ts';

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
      { function: { name: 'add', arguments: { a: 1 } } },
      { function: { name: 'f', arguments: '{' } },
    ]);
  });

  it('have the arguments as text if the format asks for it', () => {
    const message: ChatMessage = { role: 'assistant', content: '', tool_calls: [call('x', 'add')] };
    expect(toTemplateMessages([message], functionary)[0]?.tool_calls).toMatchObject([
      { function: { arguments: '{"a": 1}' } },
    ]);
  });

  const more: ChatMessage = { role: 'assistant', content: null, tool_calls: [call('x', 'add')] };
  const idsOf = (messages: ChatMessage[], format: typeof kimi) =>
    toTemplateMessages(messages, format)
      .map(({ tool_calls: calls, tool_call_id: id }) => (calls as ToolCall[] | undefined)?.map((one) => one.id) ?? id)
      .slice(1);

  it('have ids in the form of the format, for calls and results alike', () => {
    const ids = (format: typeof kimi) => idsOf([...two, more, result('x', '5'), result('z', '6')], format);
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

  it('have ids by their place where the format has no form of its own: those of clients differ from request to request', () => {
    const ids = idsOf([...two, more, result('x', '5'), result('z', '6')], hermes);
    expect(ids).toEqual([['call_0', 'call_1'], 'call_1', 'call_0', ['call_2'], 'call_2', 'call_3']);
    const renamed = JSON.parse(JSON.stringify(two).replaceAll('"x"', '"chatcmpl-tool-9f"')) as ChatMessage[];
    expect(toTemplateMessages(renamed, hermes)).toEqual(toTemplateMessages(two, hermes));
  });

  it('have the name of the function with its result, whether or not the client sends it', () => {
    const named = two.map((message) => (message.role === 'tool' ? { ...message, name: 'whatever' } : message));
    for (const messages of [two, named]) {
      expect(toTemplateMessages(messages, hermes).slice(2)).toMatchObject([{ name: 'now' }, { name: 'add' }]);
    }
    const alone: ChatMessage = { ...result('z', '6'), name: 'clock' };
    expect(toTemplateMessages([alone], hermes)).toMatchObject([{ name: 'clock' }]);
    expect(toTemplateMessages([{ ...user, name: 'ann' }], hermes)).toMatchObject([{ name: 'ann' }]);
  });

  it('have what the model thought, once, and nothing of the kind where it did not', () => {
    const [first, second, ...rest] = two as [ChatMessage, ChatMessage];
    const thought = { ...second, reasoning_content: 'Hm.' };
    for (const format of formats) {
      const messages = toTemplateMessages([first, thought, ...rest], format);
      expect(messages.filter((message) => 'reasoning_content' in message)).toEqual([messages[1]]);
      const without = messages.map(({ reasoning_content: _, thinking: __, ...message }) => message);
      expect(without).toEqual(toTemplateMessages(two, format));
    }
  });

  it('have the thoughts before a call where the templates of harmony look for them', () => {
    const [first, second] = two as [ChatMessage, ChatMessage];
    const thinking = (message: ChatMessage) =>
      toTemplateMessages([first, { ...message, reasoning_content: 'Hm.' }], harmony).map((one) => one.thinking);
    expect(thinking({ ...second, content: null })).toEqual([undefined, 'Hm.', undefined]);
    // They refuse thoughts beside a text, and show none without a call.
    expect(thinking(second)).toEqual([undefined, undefined, undefined]);
    expect(thinking({ role: 'assistant', content: 'Yes.' })).toEqual([undefined, undefined]);
  });

  it('have one call each, with its result after it, if the format asks for it', () => {
    const messages = toTemplateMessages([...two, result('z', 'odd'), user], llama3);
    expect(messages).toMatchObject([
      user,
      { content: 'Sure.', tool_calls: [{ id: 'call_0' }] },
      { content: '4' },
      { content: '', tool_calls: [{ id: 'call_1' }] },
      { content: 'noon' },
      { content: 'odd' },
      user,
    ]);
    expect(messages).toHaveLength(7);
  });
});
