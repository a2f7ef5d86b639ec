import { describe, expect, it } from 'vitest';
import { LONGEST_RESULT, toToolResult } from '../../../../src/utils/mcp-result.ts';
import {
  newReply,
  type ReplyTurn,
  type ShownConversation,
  type Turn,
} from '../../../../web/chat/conversation/conversation.ts';
import { erased } from '../../../../web/chat/conversation/tree/erase.ts';
import { merge } from '../../../../web/chat/conversation/tree/merge.ts';
import { addTurn, newHead, withValues } from '../../../../web/chat/conversation/tree/operations.ts';
import { createClock } from '../../../../web/chat/conversation/tree/stamp.ts';
import { NO_CHATS } from '../../../../web/chat/conversation/tree/tree.ts';
import { toChatRequest } from '../../../../web/chat/reply/request.ts';
import { NO_SETTINGS } from '../../../../web/chat/settings/settings.ts';
import {
  lastResultAfter,
  MOST_ROUNDS,
  openCallsOf,
  readArguments,
  runsByItself,
} from '../../../../web/chat/tools/calls.ts';
import { NO_CHAT_TOOLS } from '../../../../web/chat/tools/chat-tools.ts';
import { runnableTools } from '../../../../web/chat/tools/offer.ts';
import type { ToolServer } from '../../../../web/chat/tools/server.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';

const tool = (name: string) => ({ name, description: `Does ${name}.`, parameters: { type: 'object' } });

function serverOf(id: string, ...names: string[]): ToolServer {
  return { id, url: `https://${id}.example/mcp`, header: null, title: id, tools: names.map(tool), off: [] };
}

function callOf(id: string, name: string, given = '{}') {
  return { id, type: 'function' as const, function: { name, arguments: given } };
}

function replyOf(id: string, calls: ReplyTurn['calls'], more: Partial<ReplyTurn> = {}): ReplyTurn {
  return { ...newReply('m'), id, calls, end: { kind: 'finished', reason: 'tool_calls' }, ...more };
}

const question: Turn = { role: 'user', id: 'u', text: 'What?', images: [] };
const result = (callId: string): Turn => ({ role: 'tool', id: `result of ${callId}`, callId, text: 'It rains.' });

function conversationOf(turns: Turn[]): ShownConversation {
  return { id: 'c', title: 't', createdAt: 1, updatedAt: 1, model: null, settings: NO_SETTINGS, turns };
}

const nothing = { servers: [serverOf('weather', 'rain', 'sun')], running: [], elsewhere: {} };

describe('the tools that the page runs', () => {
  it('are those of all servers that are switched on, and the calculator where a chat has it', () => {
    const servers = [{ ...serverOf('one', 'a', 'b'), off: ['b'] }, serverOf('two', 'c')];
    const names = (chat: object) => runnableTools(servers, { ...NO_CHAT_TOOLS, ...chat }).map(({ name }) => name);
    expect(names({})).toEqual(['a', 'c']);
    expect(names({ calculator: true })).toEqual(['calculate', 'a', 'c']);
    expect(names({ servers: false })).toEqual([]);
  });

  it('have names that every client takes, and no two the same', () => {
    const servers = [serverOf('one', 'my.tool', 'a/b', 'x'.repeat(80)), serverOf('two', 'my.tool', 'x'.repeat(80))];
    const names = runnableTools(servers, NO_CHAT_TOOLS, ['a_b']).map(({ name }) => name);
    expect(names).toEqual(['my_tool', 'a_b_2', 'x'.repeat(64), 'my_tool_2', `${'x'.repeat(62)}_2`]);
  });

  it('stand in the request, after those whose results a person types', () => {
    const typed = JSON.stringify([{ type: 'function', function: { name: 'rain' } }]);
    const conversation = { ...conversationOf([question]), settings: { ...NO_SETTINGS, tools: typed } };
    const { tools } = toChatRequest(conversation, 'm', runnableTools(nothing.servers, NO_CHAT_TOOLS, ['rain']));
    expect(tools).toMatchObject([
      { function: { name: 'rain' } },
      { type: 'function', function: { name: 'rain_2', description: 'Does rain.', parameters: { type: 'object' } } },
      { function: { name: 'sun' } },
    ]);
  });
});

describe('the calls without a result', () => {
  const turns = [question, replyOf('r', [callOf('1', 'rain'), callOf('2', 'snow')])];

  it('ask a person, unless nobody can run them', () => {
    const [rain, snow] = openCallsOf(conversationOf(turns), undefined, nothing);
    expect(rain).toMatchObject({ state: 'asking', tool: { place: 'weather.example' } });
    expect(snow?.tool).toBeUndefined();
    expect(openCallsOf(conversationOf([...turns, result('1')]), undefined, nothing)).toHaveLength(1);
  });

  it('run by themselves if that was allowed for this very tool of this very server', () => {
    const chat = { ...NO_CHAT_TOOLS, allowed: ['https://weather.example/mcp rain'] };
    const [rain] = openCallsOf(conversationOf(turns), chat, nothing);
    expect(rain && runsByItself(rain, chat)).toBe(true);
    const imposter = { ...nothing, servers: [{ ...serverOf('other', 'rain') }] };
    const [other] = openCallsOf(conversationOf(turns), chat, imposter);
    expect(other && runsByItself(other, chat)).toBe(false);
  });

  it('ask again if they were begun before, or if many replies in a row have called tools', () => {
    const begun = [question, replyOf('r', [callOf('1', 'rain')], { begun: ['1'] })];
    expect(openCallsOf(conversationOf(begun), undefined, nothing)).toMatchObject([{ state: 'asking again' }]);
    const rounds = (count: number) =>
      Array.from({ length: count }, (_, i) => [replyOf(`r${i}`, [callOf(`${i}`, 'rain')]), result(`${i}`)]).flat();
    const stateAfter = (count: number) =>
      openCallsOf(conversationOf([question, ...rounds(count).slice(0, -1)]), undefined, nothing)[0]?.state;
    expect(stateAfter(MOST_ROUNDS)).toBe('asking');
    expect(stateAfter(MOST_ROUNDS + 1)).toBe('asking after many');
  });

  it('run here, or wait for another tab that runs calls of the same reply', () => {
    const one = { conversationId: 'c', callId: '1' };
    const states = (more: object) =>
      openCallsOf(conversationOf(turns), undefined, { ...nothing, ...more }).map(({ state }) => state);
    expect(states({ running: [one] })).toEqual(['running', 'asking']);
    expect(states({ elsewhere: { tab: [one] } })).toEqual(['elsewhere', 'elsewhere']);
    expect(states({ elsewhere: { tab: [{ ...one, conversationId: 'other' }] } })).toEqual(['asking', 'asking']);
  });

  it('have their results in the order of the calls, in whichever they came', () => {
    const { messages } = toChatRequest(conversationOf([...turns, result('2'), result('1')]), 'm');
    expect((messages as object[]).slice(2)).toMatchObject([{ tool_call_id: '1' }, { tool_call_id: '2' }]);
  });

  it('are told the model as not run when the conversation goes on without them', () => {
    const later: Turn = { ...question, id: 'u2', text: 'Never mind.' };
    const { messages } = toChatRequest(conversationOf([...turns, result('1'), later]), 'm');
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: '1', content: 'It rains.' },
      { role: 'tool', tool_call_id: '2', content: 'The call was not run.' },
      { role: 'user', content: 'Never mind.' },
    ]);
  });
});

describe('arguments', () => {
  it('are an object, or an error for the model', () => {
    expect(readArguments(callOf('1', 'rain', '{"city":"Rome"}'))).toEqual({ city: 'Rome' });
    expect(readArguments(callOf('1', 'rain', ''))).toEqual({});
    expect(() => readArguments(callOf('1', 'rain', '{"city":'))).toThrow('not valid JSON');
    expect(() => readArguments(callOf('1', 'rain', '[1]'))).toThrow('must be a JSON object');
  });
});

describe('a result', () => {
  it('is one text; what is no text is named', () => {
    const content = [
      { type: 'text', text: 'It <b>rains</b>.' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://x.example/f', name: 'f' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
      { type: 'hologram' },
    ];
    const { text, failed } = toToolResult({ content });
    expect(failed).toBe(false);
    for (const part of ['It <b>rains</b>.', 'image/png, 3', 'https://x.example/f', 'inside', 'file:///b', 'hologram'])
      expect(text).toContain(part);
  });

  it('may be structured, empty, a failure, or too long', () => {
    expect(toToolResult({ structuredContent: { a: 1 } }).text).toBe('{"a":1}');
    expect(toToolResult({ content: [] }).text).toBe('(The result is empty.)');
    expect(toToolResult({ content: [{ type: 'text', text: 'No.' }], isError: true }).failed).toBe(true);
    const long = toToolResult({ content: [{ type: 'text', text: 'x'.repeat(LONGEST_RESULT + 5) }] }).text;
    expect(long).toMatch(/x\n\(Cut: the result has 50005 characters\.\)$/);
    const wide = toToolResult({ content: [{ type: 'text', text: '雨'.repeat(LONGEST_RESULT) }] }).text;
    expect(new TextEncoder().encode(wide.split('\n')[0]).length).toBe(LONGEST_RESULT - (LONGEST_RESULT % 3));
  });
});

describe('what is stored of tools', () => {
  const clock = createClock('tab', () => 1000);
  const chat = { calculator: true, servers: false, allowed: ['https://weather.example/mcp rain'] };
  const begun = newHead('c', clock.next());
  const asked = addTurn(begun, null, question, clock.next());
  const head = withValues(asked.heads[0] ?? begun, { tools: chat }, clock.next());
  const reply = replyOf('r', [callOf('1', 'rain'), callOf('2', 'rain')], { begun: ['1', '2'] });
  const failed: Turn = { role: 'tool', id: 't', callId: '1', text: 'Error', outcome: 'failed' };
  const more = [addTurn(head, 'u', reply, clock.next()), addTurn(head, 'r', failed, clock.next())];
  const messages = [asked, ...more].flatMap((patch) => patch.messages);

  it('comes back from an export, without what may run unasked', () => {
    const back = importText(exportText({ heads: [head], messages }), 2000);
    expect(back.messages).toEqual(messages);
    expect(back.heads[0]?.tools?.value).toEqual({ ...chat, allowed: [] });
  });

  it('merges: the later choice of tools counts', () => {
    const later = withValues(head, { tools: NO_CHAT_TOOLS }, clock.next());
    for (const heads of [
      [head, later],
      [later, head],
    ])
      expect(merge(NO_CHATS, { heads, messages: [] }).heads.c?.tools?.value).toEqual(NO_CHAT_TOOLS);
  });

  it('is removed with the words of a conversation', () => {
    expect(erased(head)).not.toHaveProperty('tools');
  });

  it('puts a late result behind those that its reply has', () => {
    const { c = {} } = merge(NO_CHATS, { heads: [head], messages }).messages;
    expect(lastResultAfter(c, 'r')).toBe('t');
    expect(lastResultAfter(c, 't')).toBe('t');
  });
});
