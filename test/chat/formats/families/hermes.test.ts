import { describe, expect, it } from 'vitest';
import { hermes } from '../../../../src/chat/formats/families/hermes.ts';
import { itLeavesAsContent, itReads, readPieces } from '../replies.ts';

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';
const ADD = { call: 'add', arguments: '{"a": 1}' };

describe('hermes: content and reasoning', () => {
  itReads(hermes, {
    'text alone': { reply: 'Hello\n\nworld \n', gives: [{ content: 'Hello\n\nworld \n' }] },
    'no text': { reply: '', gives: [] },
    'text that begins like a mark': { reply: 'a < b, <to> </think', gives: [{ content: 'a < b, <to> </think' }] },
    'reasoning before the answer': {
      reply: '<think>\nHm, 2?\n\nYes.\n</think>\n\nIt is 2.',
      gives: [{ reasoning: 'Hm, 2?\n\nYes.' }, { content: 'It is 2.' }],
    },
    'empty reasoning': { reply: '<think>\n\n</think>\n\nHi', gives: [{ content: 'Hi' }] },
    'reasoning that the prompt has begun': {
      reply: 'Hm.\n</think>\n\nYes.',
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'reasoning that the prompt has begun and the model begins again': {
      reply: '\n<think>\nHm.</think>Yes.',
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'reasoning without an end': { reply: '<think>\nHm, so\n', gives: [{ reasoning: 'Hm, so\n' }] },
    'an end of reasoning that never began': { reply: 'Hm. </think>\nYes.', gives: [{ content: 'Hm. Yes.' }] },
    'reasoning without any tools': {
      reply: '<think>Hm.</think>Yes.',
      tools: [],
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
  });
});

describe('hermes: calls', () => {
  itReads(hermes, {
    'a call': { reply: CALL, gives: [ADD] },
    'a call after reasoning': { reply: `<think>Hm.</think>\n\n${CALL}`, gives: [{ reasoning: 'Hm.' }, ADD] },
    'text around a call': {
      reply: `Let me add.\n\n${CALL}\n\nDone.`,
      gives: [{ content: 'Let me add.' }, ADD, { content: 'Done.' }],
    },
    'more space before a call than belongs to its mark': {
      reply: `Sure.${' '.repeat(70)}${CALL}`,
      gives: [{ content: `Sure.${' '.repeat(6)}` }, ADD],
    },
    'two calls': {
      reply: `${CALL}\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n`,
      gives: [ADD, { call: 'now', arguments: '{}' }],
    },
    'two calls in one array': {
      reply: '<tool_call>[{"name": "add", "arguments": {"a": 1}}, {"name": "now"}]</tool_call>',
      gives: [ADD, { call: 'now', arguments: '{}' }],
    },
    'no arguments': { reply: '<tool_call>{"name": "now"}</tool_call>', gives: [{ call: 'now', arguments: '{}' }] },
    'null for arguments': {
      reply: '<tool_call>{"name": "now", "arguments": null}</tool_call>',
      gives: [{ call: 'now', arguments: '{}' }],
    },
    'arguments as a string': {
      reply: '<tool_call>{"name": "add", "arguments": "{\\"a\\": 1}"}</tool_call>',
      gives: [ADD],
    },
    'arguments kept as they are written': {
      reply:
        '<tool_call>{"arguments": {"a" : 1.0,\n "b":[ {}, "}\\"]" ], "c": 12345678901234567890}, "name": "add"}</tool_call>',
      gives: [{ call: 'add', arguments: '{"a" : 1.0,\n "b":[ {}, "}\\"]" ], "c": 12345678901234567890}' }],
    },
    'the other names of the members': {
      reply: '<tool_call>{"type": "function", "function": {"name": "add", "parameters": {"a": 1}}}</tool_call>',
      gives: [ADD],
    },
    'a call without its end': { reply: CALL.slice(0, -13), gives: [ADD] },
    'a call with a part of its end': { reply: CALL.slice(0, -4), gives: [ADD] },
    'a call without marks': { reply: '{"name": "add", "arguments": {"a": 1}}\n', gives: [ADD] },
  });
});

describe('hermes: text that is not a call', () => {
  itLeavesAsContent(hermes, {
    'a tool that was not offered': 'I try.\n<tool_call>\n{"name": "rm", "arguments": {}}\n</tool_call> Done.',
    'one of two tools that was not offered': '<tool_call>[{"name": "now"}, {"name": "rm"}]</tool_call>',
    'JSON with an error': '<tool_call>\n{"name": "add", "arguments": {"a": 01}}\n</tool_call>',
    'text that is not JSON': '<tool_call> add(1) </tool_call>',
    'an empty array': '<tool_call>[]</tool_call>',
    'no name': '<tool_call>{"arguments": {}}</tool_call>',
    'arguments that are not an object': '<tool_call>{"name": "add", "arguments": [1]}</tool_call>',
    'arguments that are a string without an object': '<tool_call>{"name": "add", "arguments": "1"}</tool_call>',
    'a call that is cut off': 'So: \n <tool_call>\n{"name": "add", "arguments": {"a": 1',
    'a mark alone': '<tool_call>',
    'a part of a mark': 'Hello <tool_',
    'JSON that is not a call': '{"name": "Alice", "age": 3}',
    'a call without marks in the middle': 'Look: {"name": "add", "arguments": {"a": 1}}',
    'a call without marks and text after it': '{"name": "add", "arguments": {"a": 1}} is how.',
    'JSON that is nested extremely deep': `<tool_call>${'['.repeat(20_000)}`,
    'a name that every object has': '<tool_call>{"name": "constructor", "arguments": {}}</tool_call>',
  });

  it('includes every call when no tools were offered', () => {
    const deltas = readPieces(hermes, [CALL], { tools: [] });
    expect(deltas).toEqual([{ kind: 'content', text: CALL }]);
  });

  it('includes a call without marks after one with marks', () => {
    const deltas = readPieces(hermes, [`${CALL}\n{"name": "now", "arguments": {}}`]);
    expect(deltas.at(-1)).toEqual({ kind: 'content', text: '{"name": "now", "arguments": {}}' });
    expect(deltas).toHaveLength(3);
  });

  it('ends at the error, so that the next call is read', () => {
    const deltas = readPieces(hermes, [`<tool_call>{"name": oops} </tool_call>\n${CALL}`]);
    expect(deltas).toEqual([
      { kind: 'content', text: '<tool_call>{"name": oops} </tool_call>' },
      { kind: 'toolCall', index: 0, name: 'add' },
      { kind: 'toolArguments', index: 0, text: '{"a": 1}' },
    ]);
  });
});

describe('hermes: marks without a meaning', () => {
  it('keeps a call inside reasoning as text', () => {
    const deltas = readPieces(hermes, [`<think>I could write ${CALL}.</think>No.`]);
    expect(deltas).toEqual([
      { kind: 'reasoning', text: `I could write ${CALL}.` },
      { kind: 'content', text: 'No.' },
    ]);
  });

  it('keeps the marks inside an argument', () => {
    const text = '{"city": "</tool_call> <think>"}';
    const deltas = readPieces(hermes, [`<tool_call>{"name": "get_weather", "arguments": ${text}}</tool_call>`]);
    expect(deltas[1]).toEqual({ kind: 'toolArguments', index: 0, text });
  });
});

describe('hermes: streaming', () => {
  const parser = () => hermes.createParser({ tools: [{ name: 'add' }], startsInReasoning: false });

  it('gives text as soon as it can not be a mark', () => {
    const { push } = parser();
    expect(push('Hello <')).toEqual([{ kind: 'content', text: 'Hello' }]);
    expect(push('b')).toEqual([{ kind: 'content', text: ' <b' }]);
  });

  it('gives JSON that is not a call as soon as its first member shows it', () => {
    const { push } = parser();
    expect(push('{"na')).toEqual([]);
    expect(push('me": "Alice"')).toEqual([{ kind: 'content', text: '{"name": "Alice"' }]);
  });

  it('gives a call as soon as its JSON and its closing mark are complete', () => {
    const { push } = parser();
    expect(push('<tool_call>{"name": "add", "arguments": {"a": 1}')).toEqual([]);
    expect(push('}</tool_call>')).toHaveLength(2);
  });
});
