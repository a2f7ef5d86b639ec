import { describe } from 'vitest';
import { functionary } from '../../../src/chat/formats/families/functionary.ts';
import { generic } from '../../../src/chat/formats/families/generic.ts';
import { llama3 } from '../../../src/chat/formats/families/llama3.ts';
import { itLeavesAsContent, itReads } from './replies.ts';

const ADD = { call: 'add', arguments: '{"a": 1}' };
const NOW = { call: 'now', arguments: '{}' };

describe('llama3', () => {
  itReads(llama3, {
    text: { reply: '\nHello {name}', gives: [{ content: '\nHello {name}' }] },
    'a call': { reply: '{"name": "add", "parameters": {"a": 1}}', gives: [ADD] },
    'a call with its type': {
      reply: '\n{"type": "function", "name": "add", "parameters": {"a": 1}}',
      gives: [ADD],
    },
    'two calls': {
      reply: '{"name": "add", "parameters": {"a": 1}}; {"name": "now", "parameters": {}}',
      gives: [ADD, NOW],
    },
    'a call after its mark': {
      reply: 'Sure. <|python_tag|>{"name": "add", "parameters": {"a": 1}}',
      gives: [{ content: 'Sure.' }, ADD],
    },
    'a call after reasoning': {
      reply: '<think>Hm.</think>\n{"name": "now", "parameters": {}}',
      gives: [{ reasoning: 'Hm.' }, NOW],
    },
    'JSON without any tools': {
      reply: '{"name": "add", "parameters": {"a": 1}}',
      tools: [],
      gives: [{ content: '{"name": "add", "parameters": {"a": 1}}' }],
    },
  });
  itLeavesAsContent(llama3, {
    'a tool that was not offered': '{"name": "rm", "parameters": {}}',
    'one of two tools that was not offered': '{"name": "now", "parameters": {}}; {"name": "rm", "parameters": {}}',
    'JSON of another kind': '{"city": "Paris", "days": [1, 2]}',
    'JSON that is cut off': '{"name": "add", "parameters": {"a": 1}',
    'JSON with an error': '{"name": "add", "parameters": {"a": 1,}}',
    'a call with text after it': '{"name": "now", "parameters": {}} is what I would write.',
    'a call with text before it': 'I write {"name": "now", "parameters": {}}',
    'a built-in tool': '<|python_tag|>brave_search.call(query="x")',
    code: '{ int x = 5; }',
    'an open brace': '{',
  });
});

describe('generic', () => {
  itReads(generic, {
    text: { reply: 'Hello', gives: [{ content: 'Hello' }] },
    reasoning: { reply: '<think>Hm.</think>Yes.', gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }] },
    'calls in a list': {
      reply: '{"tool_calls": [{"name": "add", "arguments": {"a": 1}}, {"name": "now", "arguments": {}}]}',
      gives: [ADD, NOW],
    },
    'a call alone': { reply: '{"name": "add", "arguments": {"a": 1}}', gives: [ADD] },
    'calls in an array': { reply: '[{"name": "add", "arguments": {"a": 1}}]', gives: [ADD] },
    'a call in a fence': { reply: '```json\n{"name": "add", "arguments": {"a": 1}}\n```\n', gives: [ADD] },
    'a call as OpenAI has it': {
      reply:
        '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 1}"}}]}',
      gives: [ADD],
    },
    'a call in the marks of hermes': { reply: '<tool_call>{"name": "now"}</tool_call>', gives: [NOW] },
  });
  itLeavesAsContent(generic, {
    'a tool that was not offered': '{"tool_calls": [{"name": "rm", "arguments": {}}]}',
    'no calls': '{"tool_calls": []}',
    'a number instead of a list': '{"tool_calls": 5}',
    'code in a fence': '```ts\nconst x = {"name": "now"};\n```',
    'a call in a fence that does not end': '```json\n{"name": "now", "arguments": {}}',
    'a call in a fence and text': '```json\n{"name": "now", "arguments": {}}\n```\nThis is how.',
  });
});

describe('functionary', () => {
  itReads(functionary, {
    text: { reply: 'all\nHello', gives: [{ content: 'Hello' }] },
    'text without a recipient': { reply: 'Hello', gives: [{ content: 'Hello' }] },
    'text with the mark that the prompt has': { reply: '>>>all\nHello', gives: [{ content: 'Hello' }] },
    'text without any tools': { reply: 'all\nHello', tools: [], gives: [{ content: 'Hello' }] },
    'the prompt of a Python shell': { reply: 'all\n>>> 1 + 1', gives: [{ content: '>>> 1 + 1' }] },
    'a call': { reply: 'add\n{"a": 1}', gives: [ADD] },
    'two calls after text': {
      reply: 'all\nSure.\n>>>add\n{"a": 1}>>>now\n{}',
      gives: [{ content: 'Sure.' }, ADD, NOW],
    },
  });
  itLeavesAsContent(functionary, {
    'a tool that was not offered': 'rm\n{"a": 1}',
    'a call that is cut off': 'add\n{"a": 1',
    'JSON with an error': 'add\n{a: 1}',
    'a later tool that was not offered': 'Sure.>>>rm\n{}',
    'a later call that is cut off': 'Sure. >>>add\n{"a"',
  });
});
