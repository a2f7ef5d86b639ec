import type { Tool } from '../../../src/chat/formats/format.ts';
import type { ChatMessage, ToolCall } from '../../../src/contract/prompt.ts';

/** A conversation to render with every template. */
export interface Conversation {
  name: string;
  messages: ChatMessage[];
  tools: Tool[];
  kwargs: Record<string, unknown>;
}

const TOOLS: Tool[] = [
  {
    name: 'find_places',
    description: 'Finds "places" & prices <cheap>.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'The city' },
        count: { type: 'integer', default: 5 },
        filters: {
          type: 'object',
          properties: { open: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } } },
        },
      },
      required: ['city'],
    },
  },
  { name: 'now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } },
];

const call = (id: string, name: string, json: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string | null, more: Partial<ChatMessage> = {}): ChatMessage => ({
  role: 'assistant',
  content,
  ...more,
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });

const SYSTEM: ChatMessage = { role: 'system', content: 'Be brief.' };
const ONE_CALL = { tool_calls: [call('a', 'find_places', '{"city":"Köln","count":2}')] };
const NESTED = '{"city":"a \\"quoted\\"\\nline","count":1.5,"filters":{"open":true,"tags":["x","<y>"]},"none":null}';

/** The conversations of which each template's text is compared with jinja2's. */
export const CONVERSATIONS: Conversation[] = [
  plain('one question', [user('Hello')]),
  plain('a system message', [SYSTEM, user('Hello')]),
  plain('several turns', [SYSTEM, user('Hello'), assistant('Hi!'), user(' How are you?\n')]),
  plain('earlier thoughts', [user('1+1?'), assistant('2', { reasoning_content: 'Easy.' }), user('And 2+2?')]),
  plain('thinking', [user('Hello')], { enable_thinking: true }),
  plain('no thinking', [user('Hello')], { enable_thinking: false }),
  withTools('tools', [user('Hello')]),
  withTools('tools and a system message', [SYSTEM, user('Hello')]),
  withTools('a call and its result', [user('Where?'), assistant(null, ONE_CALL), result('a', '[{"name":"Dom"}]')]),
  withTools('a call after thoughts and text', [
    user('Where?'),
    assistant('Let me look.', { reasoning_content: 'I need a tool.', ...ONE_CALL }),
    result('a', 'Dom'),
    assistant('The Dom.'),
    user('Thanks'),
  ]),
  withTools('parallel calls', [
    user('Where, and when?'),
    assistant(null, { tool_calls: [call('a', 'find_places', NESTED), call('b', 'now', '{}')] }),
    result('a', 'Dom'),
    result('b', '12:00'),
  ]),
  withTools('a loop of calls', [
    SYSTEM,
    user('Where?'),
    assistant('', { reasoning_content: 'First.', ...ONE_CALL }),
    result('a', 'nothing'),
    assistant('', { reasoning_content: 'Again.', tool_calls: [call('b', 'now', '{}')] }),
    result('b', '12:00'),
  ]),
];

function plain(name: string, messages: ChatMessage[], kwargs: Record<string, unknown> = {}): Conversation {
  return { name, messages, tools: [], kwargs };
}

function withTools(name: string, messages: ChatMessage[]): Conversation {
  return { name, messages, tools: TOOLS, kwargs: { enable_thinking: true } };
}
