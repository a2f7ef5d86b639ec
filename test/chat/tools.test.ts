import { describe, expect, it } from 'vitest';
import { generic } from '../../src/chat/formats/families/generic.ts';
import { hermes } from '../../src/chat/formats/families/hermes.ts';
import { allowsSeveralCalls, visibleTools, withTools } from '../../src/chat/tools.ts';
import type { ChatMessage, ToolChoice } from '../../src/contract/prompt.ts';
import { chat } from '../kit/generation.ts';
import { ADD, callOf, HERMES_LIKE, NOW, NOW_CALL, PLAIN } from './fixtures.ts';

const user: ChatMessage = { role: 'user', content: 'Hello' };
const system: ChatMessage = { role: 'system', content: 'Be brief.' };

describe('visible tools', () => {
  it.each<[choice: ToolChoice, names: string[]]>([
    ['auto', ['add', 'now']],
    ['required', ['add', 'now']],
    ['none', []],
    [{ name: 'now' }, ['now']],
    [{ name: 'rm' }, []],
  ])('for the choice %j are %j', (toolChoice, names) => {
    const tools = visibleTools(chat([], { tools: [ADD, NOW], toolChoice }));
    expect(tools.map(({ name }) => name)).toEqual(names);
  });
});

describe('several calls', () => {
  it.each<[choice: ToolChoice, allowed: boolean]>([
    ['auto', true],
    ['required', true],
    [{ name: 'now' }, false],
  ])('for the choice %j are allowed: %j. They never are if the request forbids them', (toolChoice, allowed) => {
    const prompt = chat([], { tools: [ADD, NOW], toolChoice });
    expect(allowsSeveralCalls(prompt)).toBe(allowed);
    expect(allowsSeveralCalls({ ...prompt, parallelToolCalls: false })).toBe(false);
  });
});

describe('a conversation for a template that knows tools', () => {
  const conversation: ChatMessage[] = [
    system,
    user,
    { role: 'assistant', content: null, tool_calls: [callOf('now')] },
    { role: 'tool', content: 'noon', tool_call_id: 'call_1' },
    user,
    user,
  ];

  it('stays as it is, and so do the tools', () => {
    expect(withTools(conversation, [ADD], HERMES_LIKE, hermes)).toEqual({ messages: conversation, tools: [ADD] });
  });
});

describe('a conversation for a template that knows no tools', () => {
  const written = (messages: ChatMessage[], tools = [NOW], template: string | undefined = PLAIN) =>
    withTools(messages, tools, template, generic);

  it('stays as it is if there are no tools', () => {
    const messages: ChatMessage[] = [system, user, { role: 'assistant', content: 'Hi', name: 'bot' }, user];
    expect(written(messages, [])).toEqual({ messages, tools: [] });
  });

  it('describes the tools in a system message of its own', () => {
    const { messages, tools } = written([user], [ADD, NOW]);
    expect(tools).toEqual([]);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('"Adds."') });
    expect(messages[0]?.content).toContain('"now"');
    expect(messages[1]).toEqual(user);
  });

  it('describes the tools at the end of the system message', () => {
    const { messages } = written([system, user]);
    expect(messages).toHaveLength(2);
    expect(messages[0]?.content).toMatch(/^Be brief\.\n\n[\s\S]*"now"/);
  });

  it('describes the tools before the text of the user if the template has no system role', () => {
    const template = `{{ raise_exception('System role not supported') }}${PLAIN}`;
    const { messages } = written([user], [NOW], template);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ role: 'user', content: expect.stringMatching(/"now"[\s\S]*\n\nHello$/) });
  });

  it('describes the tools if the model has no template', () => {
    expect(withTools([user], [NOW], undefined, generic).messages[0]?.content).toContain('"now"');
  });

  it('writes earlier calls as the model would, and their results as user messages', () => {
    const { messages } = written(
      [
        user,
        { role: 'assistant', content: 'Let me see.', tool_calls: [callOf('now')] },
        { role: 'tool', content: 'noon', tool_call_id: 'call_1', name: 'now' },
        { role: 'assistant', content: 'It is noon.' },
      ],
      [],
    );
    expect(messages).toEqual([
      user,
      { role: 'assistant', content: `Let me see.\n${generic.writeCalls([{ name: 'now', arguments: '{}' }])}` },
      { role: 'user', content: 'Result of the function:\nnoon' },
      { role: 'assistant', content: 'It is noon.' },
    ]);
  });

  it('writes a message without content as its calls alone', () => {
    const calls = [callOf('now', '{}', 'call_1'), callOf('now', '{}', 'call_2')];
    const { messages } = withTools([{ role: 'assistant', content: null, tool_calls: calls }], [], PLAIN, hermes);
    expect(messages).toEqual([{ role: 'assistant', content: `${NOW_CALL}\n${NOW_CALL}` }]);
  });

  it('joins the results of several calls with the user message after them, so that the roles alternate', () => {
    const { messages } = written(
      [
        user,
        { role: 'assistant', content: null, tool_calls: [callOf('now'), callOf('now', '{}', 'call_2')] },
        { role: 'tool', content: 'noon', tool_call_id: 'call_1' },
        { role: 'tool', content: null, tool_call_id: 'call_2' },
        { role: 'user', content: 'Thanks!' },
      ],
      [],
    );
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2]?.content).toBe('Result of the function:\nnoon\n\nResult of the function:\n\n\nThanks!');
  });
});
